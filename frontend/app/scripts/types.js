// Makes the types of the server's routes and frames of openapi.json, and says of which one, so
// that a check without Node can tell whether the two belong together.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';

const DOCUMENT = new URL('../openapi.json', import.meta.url);
const TYPES = new URL('../src/lib/api/schema.d.ts', import.meta.url);

const types = astToString(await openapiTS(DOCUMENT, { defaultNonNullable: false }));
const hash = createHash('sha256').update(readFileSync(DOCUMENT)).digest('hex');
writeFileSync(TYPES, `// openapi.json: ${hash}\n${COMMENT_HEADER}${types}`);
