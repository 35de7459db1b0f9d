import{r as e,t}from"./chunk-QB3YPZ4I-D1-9cA8e.js";import"./chunk-TU62E6Q5-D3ZUAea8.js";import"./mermaid-DvXjYjbC.js";import"./chunk-HFQBQIA3-B9-p6L9Y.js";import"./chunk-M57EVK23-CEW2MS_Z.js";import"./chunk-DQASFODM-RjdiBcOf.js";import"./chunk-LEVMRMFU-C-3H-bop.js";import"./chunk-AXFCVDMN-C9nDYrqy.js";import"./chunk-X4PVCEUW-V1d_H7nv.js";import"./chunk-STOXU5M4-DoNd8j_J.js";import"./chunk-R3KSYZAL-Dr3zpshy.js";import"./chunk-6MUBBAK2-sbq48_A5.js";import"./chunk-BG4553SI-ByAHG9mJ.js";import"./d3-selection-DzJ2mUaL.js";import{n}from"./chunk-Y2CYZVJY-DsF7k-Jl.js";var r=t({styles:n(t=>`${e(t)}
  .swimlane.cluster:not([data-color-id]) rect {
    stroke: ${t.clusterBorder} !important;
  }
  [data-look="neo"].cluster rect {
    filter: none;
  }
`,`getStyles`)});export{r as diagram};