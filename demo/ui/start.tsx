import { render } from 'preact';
import { App } from './app.tsx';
import { Loading } from './loading.tsx';
import { Now } from './now.tsx';

/** Puts the page's moving parts into their places in its HTML. */
export function start(): void {
  const place = (id: string) => {
    const found = document.getElementById(id)!;
    found.replaceChildren(); // Preact keeps elements that it did not create
    return found;
  };
  render(<App />, place('app'));
  render(<Now />, place('now'));
  render(<Loading />, place('loading'));
}
