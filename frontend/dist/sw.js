// Keeps the shell for an instant first paint. Everything else goes to the server: this is not
// offline chat, and nothing a model said is ever kept here.
//
// The build names the cache after what it keeps. The four files belong together, so they are
// fetched together and replaced together, never one by one.
const CACHE = 'shell-2a9f7a2e615d71ee';
const SHELL = ['/', '/assets/app.js', '/assets/hljs.js', '/assets/hljs.css'];

// Past the browser's own cache, which may hold one of the last build for an hour.
self.addEventListener('install', (event) => {
  const anew = SHELL.map((path) => new Request(path, { cache: 'reload' }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(anew)));
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  const drop = (name) => (name === CACHE ? undefined : caches.delete(name));
  const dropOthers = caches.keys().then((names) => Promise.all(names.map(drop)));
  event.waitUntil(dropOthers.then(() => self.clients.claim()));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreVary: true })) ?? fetch(request);
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  const isShell = url.origin === location.origin && SHELL.includes(url.pathname);
  if (event.request.method === 'GET' && isShell && !url.search) {
    event.respondWith(answer(event.request));
  }
});
