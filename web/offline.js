// Keeps the page's own files, so that it opens without a network after the first time. The network comes first: a new
// version is seen as soon as there is one.
'use strict';
const kCache = 'tilescope';
addEventListener('install', (event) => {
  const files = ['./', 'page.css', 'page.js', 'tilescope.js', 'tilescope.wasm.gz', 'first.pack.gz', 'rest.pack.gz', 'icon.svg'];
  event.waitUntil(caches.open(kCache).then((cache) => cache.addAll(files)).then(() => skipWaiting()));
});
addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(fetch(event.request).then((response) => {
    const copy = response.clone();
    if (response.ok) event.waitUntil(caches.open(kCache).then((cache) => cache.put(event.request, copy)));
    return response;
  }, () => caches.match(event.request, {ignoreSearch: true})));
});
