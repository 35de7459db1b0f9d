/** Files that go with a message: pictures for models that see, and text. */
import type { Image } from '../frames';

export interface Attachment {
  name: string;
  image?: Image;
  text?: string;
  /** Only the beginning is here. */
  cut?: boolean;
}

export type Read = { ok: true; attachment: Attachment } | { ok: false; reason: string };

const TEXT_BYTES = 256 * 1024;
const IMAGE_BYTES = 20 * 1024 * 1024;
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|toml|javascript|x-sh|sql))/;
const TEXT_NAME =
  /\.(txt|md|markdown|rst|csv|tsv|log|jsonl?|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|scss|[cm]?[jt]sx?|svelte|vue|py|rb|rs|go|java|kt|swift|c|cc|cpp|h|hpp|cs|php|sh|bash|zsh|sql|tex|diff|patch)$/i;

export async function readFile(file: File, vision: boolean): Promise<Read> {
  if (file.type.startsWith('image/')) return readImage(file, vision);
  if (!TEXT_TYPE.test(file.type) && !TEXT_NAME.test(file.name)) {
    return { ok: false, reason: `${file.name} is neither text nor a picture.` };
  }
  const cut = file.size > TEXT_BYTES;
  const text = await file.slice(0, TEXT_BYTES).text();
  return { ok: true, attachment: { name: file.name, text, cut } };
}

async function readImage(file: File, vision: boolean): Promise<Read> {
  if (!vision) return { ok: false, reason: 'This model cannot see pictures.' };
  if (file.size > IMAGE_BYTES) {
    return { ok: false, reason: `${file.name} is larger than 20 MiB.` };
  }
  const data = await base64(file);
  return {
    ok: true,
    attachment: { name: file.name || 'picture', image: { data, mimeType: file.type } },
  };
}

function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
}
