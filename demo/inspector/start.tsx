import { render } from 'preact';
import { issuesOf } from '../../src/errors.ts';
import { pageRuns } from '../guard.ts';
import { App } from './app.tsx';
import { failures } from './library.ts';

/** Draws the page. Later errors become cards on it. */
export function start(): void {
  const place = document.querySelector('#app')!;
  place.replaceChildren(); // Preact keeps elements that it did not create
  render(<App />, place);
  pageRuns((thrown) => {
    failures.value = [{ kind: 'failed', name: 'Something on this page', issues: issuesOf(thrown) }, ...failures.value];
  });
}
