import { describe, expect, it } from 'vitest';

import { blocks, render } from './parser';
import { StreamedMarkdown } from './streamed';

const CORPUS: Record<string, string> = {
  headings: '# One\n\nText.\n\nTwo\n===\n\nThree\n---\n\nend',
  lists: '- a\n- b\n\n  more of b\n\n- c\n  1. x\n  2. y\n\nafter',
  tasks: '- [ ] open\n- [x] done\n- plain',
  table: '| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | `4|5` |\n\nend',
  fences: 'Before\n\n```python\nprint("```")\n\n# not a heading\n```\n\n~~~\nplain\n~~~\nafter',
  unclosed: 'Look:\n\n```js\nconst x = 1;\n\nmore();',
  quotes: '> one\n> two\nlazy\n\n> other\n\n---\n\nend',
  inline: '**bold** *it* ~~no~~ `code` https://example.org and [l](https://a.b "t").',
  formulas: 'Mass $E = mc^2$ and\n\n$$\n\\int_0^1 x\\,dx\n$$\n\nor \\(a\\) costs $5 and $6.',
  references: 'See [that][1] and [this].\n\n[1]: https://example.org\n[this]: /here\n\nend',
  code: 'text\n\n    indented\n\n    code\n\ntext',
};

function streamed(source: string, step: number): string {
  const text = new StreamedMarkdown();
  for (let end = step; end < source.length; end += step) text.update(source.slice(0, end));
  return text.finish(source).join('');
}

describe('streamed text', () => {
  for (const [name, source] of Object.entries(CORPUS)) {
    it(`ends up as ${name} rendered at once`, () => {
      for (const step of [1, 3, 17]) expect(streamed(source, step)).toBe(render(source));
    });

    it(`shows ${name} right at every moment but for links whose target is to come`, () => {
      if (name === 'references') return;
      const text = new StreamedMarkdown();
      for (let end = 1; end <= source.length; end++) {
        const shown = text.update(source.slice(0, end)).join('');
        expect(shown).toBe(render(source.slice(0, end)));
      }
    });
  }

  it('does not parse again what cannot change', () => {
    const text = new StreamedMarkdown();
    const first = text.update('One.\n\nTwo.\n\nThr');
    const second = text.update('One.\n\nTwo.\n\nThree.');
    expect(second[0]).toBe(first[0]);
    expect(second[2]).toContain('Three.');
  });

  it('starts over for another text', () => {
    const text = new StreamedMarkdown();
    text.update('One.\n\nTwo.');
    expect(text.update('Other.').join('')).toBe(render('Other.'));
  });
});

describe('rendering', () => {
  it('opens links elsewhere in a page that cannot reach back', () => {
    for (const target of ['https://example.org', '/file.txt', './file.txt', '..', 'mailto:a@b.c']) {
      const html = render(`[x](${target})`);
      expect(html).toContain('rel="noopener noreferrer"');
      expect(html).toContain('target="_blank"');
    }
    expect(render('[x](#/status)')).not.toContain('target');
  });

  it('loads no pictures from elsewhere, but links to them', () => {
    const html = render('![cat](https://example.org/cat.png)');
    expect(html).not.toContain('<img');
    expect(html).toContain('href="https://example.org/cat.png"');
  });

  it('takes dollars for money where no formula fits between them', () => {
    expect(render('It costs $5, or $6.')).not.toContain('math');
    expect(render('$x$')).toContain('data-math="inline"');
  });

  it('offers a preview of HTML and SVG alone', () => {
    expect(render('```html\n<b>x</b>\n```')).toContain('data-action="preview"');
    expect(render('```js\nx\n```')).not.toContain('data-action="preview"');
  });
});

describe('numbers of passages', () => {
  const html = (source: string, citations = 2): string =>
    blocks(source, { citations })
      .map((block) => block.html)
      .join('');
  const named = (source: string): string[] =>
    [...html(source).matchAll(/data-citation="(\d+)"/g)].map((match) => match[1] ?? '');

  it('are buttons where such a passage was given', () => {
    expect(html('so [1].', 1)).toContain(
      '<button type="button" class="citation" data-citation="1" aria-label="Source [1]">[1]</button>.',
    );
    expect(named('[1][2], **[2]**, [3], [0], [x], 1]: [1]: x')).toEqual(['1', '2', '2', '1']);
    expect(html('[1]', 0)).not.toContain('button');
  });

  it.each([
    ['a line of code', '`xs[1] = 2`'],
    ['a block of code', '```\nxs[1] = 2\n```'],
    ['indented code', '    xs[1] = 2'],
    ['a formula', '$x[1]$'],
    ['a link', '[1](https://a.b) [see [1]](https://a.b)'],
    ['a link whose target comes later', '[1] [2][that]\n\n[1]: https://a.b\n[that]: https://a.b'],
    ['an escape', '\\[1]'],
  ])('stay as they are in %s', (_, source) => {
    expect(named(source)).toEqual([]);
    expect(html(source)).toBe(html(source, 0));
  });

  it('come out of a stream as they do at once', () => {
    const source = 'One [1].\n\n`a[1]`\n\n- two [2]';
    const text = new StreamedMarkdown(2);
    for (let end = 1; end < source.length; end++) text.update(source.slice(0, end));
    expect(text.update(source).join('')).toBe(html(source));
    expect(text.finish(source).join('')).toBe(html(source));
  });
});

const ELEMENTS = ['script', 'img', 'iframe', 'svg', 'object', 'form', 'style', 'base', 'math', 'a'];
const URLS = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,<script>x</script>'];
const PLACES = [
  (text: string) => text,
  (text: string) => `- ${text}`,
  (text: string) => `> ${text}`,
  (text: string) => `| a |\n|---|\n| ${text} |`,
  (text: string) => `# ${text}`,
];

function hostile(): string[] {
  const bare = [
    ...ELEMENTS.flatMap((name) => [
      `<${name} onload=alert(1) onerror=alert(1) src=x href=javascript:alert(1)>`,
      `<${name}/onmouseover=alert(1)>x</${name}>`,
    ]),
    ...URLS.flatMap((url) => [`[x](${url})`, `<${url}>`, `![x](${url})`, `[x][1]\n\n[1]: ${url}`]),
    '```"><img onerror=alert(1)>\ncode\n```',
    '$<img src=x onerror=alert(1)>$',
    '`<script>alert(1)</script>`',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '[x](https://a.b "onclick=alert(1)")',
    'https://a.b/"onmouseover="alert(1)',
    '<!--<script>alert(1)</script>-->',
    '<![CDATA[<script>alert(1)</script>]]>',
  ];
  return bare.flatMap((text) => PLACES.map((place) => place(text)));
}

describe('hostile text', () => {
  it('becomes no element that acts, whatever it spells', () => {
    const texts = hostile();
    expect(texts.length).toBeGreaterThanOrEqual(200);
    for (const text of texts) {
      const host = document.createElement('div');
      host.innerHTML = render(text);
      for (const element of host.querySelectorAll('*')) {
        expect(['SCRIPT', 'IMG', 'IFRAME', 'SVG', 'OBJECT', 'FORM', 'STYLE', 'BASE']).not.toContain(
          element.tagName.toUpperCase(),
        );
        for (const { name, value } of element.attributes) {
          expect(name.startsWith('on'), `${name} of ${text}`).toBe(false);
          if (name === 'href') expect(value).toMatch(/^(https?:|mailto:|#|\/|\.)/i);
        }
      }
    }
  });
});
