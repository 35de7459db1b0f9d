// Keeps the shell for an instant first paint. Everything else goes to the server: this is not
// offline chat, and nothing a model said is ever kept here.
const CACHE = 'shell-1';
const SHELL = ['/', '/assets/app.js', '/assets/hljs.js', '/assets/hljs.css'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)));
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  const drop = (name) => (name === CACHE ? undefined : caches.delete(name));
  event.waitUntil(caches.keys().then((names) => Promise.all(names.map(drop))));
  self.clients.claim();
});

// What is kept answers at once, and is fetched anew for the next visit.
async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  const fresh = fetch(request).then((response) => {
    if (response.ok) cache.put(request, response.clone());
    return response;
  });
  if (!kept) return fresh;
  fresh.catch(() => undefined);
  return kept;
}

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  const isShell = url.origin === location.origin && SHELL.includes(url.pathname);
  if (event.request.method === 'GET' && isShell && !url.search) {
    event.respondWith(answer(event.request));
  }
});
