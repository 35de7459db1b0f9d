import{r as e,t}from"./chunk-QB3YPZ4I-Bg1LjBFK.js";import"./chunk-TU62E6Q5-DvNXnstP.js";import"./mermaid-Dcfw_kSd.js";import"./chunk-HFQBQIA3-BbzOddVE.js";import"./chunk-M57EVK23-BGoOGFh1.js";import"./chunk-DQASFODM-tMSLXDax.js";import"./chunk-LEVMRMFU-DSOMkyfd.js";import"./chunk-AXFCVDMN-bXvpGx1H.js";import"./chunk-X4PVCEUW-BrgqXdX0.js";import"./chunk-STOXU5M4-BDVVrED8.js";import"./chunk-R3KSYZAL-H5HUEAn8.js";import"./chunk-6MUBBAK2-QfeBVNTL.js";import"./chunk-BG4553SI-D3tgz-3f.js";import"./d3-selection-DzJ2mUaL.js";import{n}from"./chunk-Y2CYZVJY-DsF7k-Jl.js";var r=t({styles:n(t=>`${e(t)}
  .swimlane.cluster:not([data-color-id]) rect {
    stroke: ${t.clusterBorder} !important;
  }
  [data-look="neo"].cluster rect {
    filter: none;
  }
`,`getStyles`)});export{r as diagram};