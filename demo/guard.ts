// The first script of each page. It is small and needs no other script, so that it can explain why the others do not run.
import './style/stopped.css';

type Listener = (thrown: unknown) => void;

let listener: Listener = stop;
let hasStopped = false;

/**
 * Starts a page with its own code. Until {@link pageRuns} is called, an error that nothing catches puts a card in the page's place.
 *
 * @param load Loads the page's code, and returns the function that draws the page. The function is not called after an error.
 */
export function startPage(load: () => Promise<() => void>): void {
  addEventListener('error', (event) => {
    // browsers report postponed layout this way, and extensions report their own errors
    const isOurs = event.filename === '' || event.filename.startsWith(location.origin);
    if (isOurs && !event.message.startsWith('ResizeObserver loop')) listener(event.error ?? event.message);
  });
  addEventListener('unhandledrejection', ({ reason }) => listener(reason));
  load()
    .then((start) => hasStopped || start())
    .catch(stop);
}

/** The page shows what it is for. Later errors that nothing catches go to `onError`. */
export function pageRuns(onError: Listener): void {
  listener = onError;
}

/** Puts a card in the page's place: what happened, and what to do. The first error counts. */
export function stop(thrown: unknown): void {
  if (hasStopped) return;
  hasStopped = true;
  console.error(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const isMissing = /dynamically imported module|importing a module script|preload css/i.test(message);
  const card = element('div', { className: 'stopped-card', role: 'alert' });
  card.append(
    element('h2', { textContent: 'This page could not start' }),
    element('p', {
      textContent: isMissing
        ? 'A part of the page could not be downloaded. Check the connection, and reload the page.'
        : 'An error stopped it. Reload the page. If the error occurs again, report it with the message below, and with the name and version of the browser.',
    }),
    element('pre', { textContent: message }),
    element('button', { type: 'button', textContent: 'Reload the page', onclick: () => location.reload() }),
  );
  const main = element('main', { className: 'stopped' });
  main.append(card);
  document.querySelector('#app')?.replaceChildren(main);
  document.querySelector('#loading')?.remove();
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties);
}
