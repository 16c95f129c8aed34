import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { IssueCards } from '../files/issue-cards.tsx';
import {
  busy,
  type End,
  FRAME_LIMIT,
  issues,
  type PageResult,
  result,
  startRun,
  type Step,
  steps,
  stopRun,
} from './run.ts';

const ENDS: Readonly<Record<End, string>> = {
  time: 'More take longer than a sixtieth of a second.',
  memory: 'More do not fit into the memory that this page uses.',
  limit: 'This GPU binds no larger buffers.',
  stopped: 'You stopped the run: more may fit.',
  'device lost': 'The GPU was lost: these are the steps until then.',
};

/** The reason for the answer, in words, and its conditions. */
function endOf({ fits, limitedBy, picture, kind, adapter }: PageResult): string {
  const end =
    fits === 0 && limitedBy === 'time' ? 'Even one takes longer than a sixtieth of a second.' : ENDS[limitedBy];
  const name = adapter.description || [adapter.vendor, adapter.architecture].filter((part) => part !== '').join(' ');
  const gpu = `${name || 'unnamed GPU'}${kind === 'software' ? ' (software adapter)' : ''}`;
  return `${end} Pictures of ${picture} pixels, ${gpu}.`;
}

export function App(): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isRunning = busy.value !== undefined;
  return (
    <main class="bench" aria-busy={isRunning}>
      <header>
        <h1>How many characters fit into a frame?</h1>
        <p class="quiet">
          A parade grows until a frame takes longer than {FRAME_LIMIT.toFixed(1)} ms. Each soldier plays a clip of its
          own. The run takes about half a minute. Nothing is sent anywhere.
        </p>
        <nav aria-label="More">
          <a href="./index.html">Battle</a>
          <a href="./inspector.html">Inspector</a>
        </nav>
      </header>
      <canvas ref={canvas} class="parade" width={1920} height={1080} aria-label="The parade that is measured" />
      <div class="row run">
        {isRunning ? (
          <button type="button" onClick={stopRun}>
            Stop
          </button>
        ) : (
          <button type="button" class="main" onClick={() => void startRun(canvas.current!)}>
            {result.value ? 'Run again' : 'Run the bench'}
          </button>
        )}
        <p role="status">{isRunning ? `${busy.value} …` : ''}</p>
      </div>
      {issues.value.length > 0 && <IssueCards title="The run failed" issues={issues.value} />}
      {result.value && (
        <p class="answer">
          <strong class="number" data-figure="fits">
            {result.value.fits.toLocaleString('en')}
          </strong>{' '}
          characters at 60 frames per second. <span class="quiet">{endOf(result.value)}</span>
        </p>
      )}
      {steps.value.length > 0 && <StepTable rows={steps.value} />}
      {result.value && <Paste json={JSON.stringify(result.value)} />}
    </main>
  );
}

function StepTable({ rows }: { readonly rows: readonly Step[] }): JSX.Element {
  const sorted = [...rows].sort((a, b) => a.count - b.count);
  const time = (milliseconds: number) => (milliseconds > 0 ? milliseconds.toFixed(2) : '–');
  return (
    <table>
      <caption class="quiet">Milliseconds of one frame</caption>
      <thead>
        <tr>
          <th>Characters</th>
          <th>GPU</th>
          <th>CPU</th>
          <th>MB</th>
          <th>Fits</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ count, frame, host, bytes, missing, fits }) => (
          <tr key={count} class={fits ? 'fits' : 'fails'}>
            <td>{count.toLocaleString('en')}</td>
            <td>{time(frame)}</td>
            <td>{time(host)}</td>
            <td>{bytes > 0 ? (bytes / 1e6).toFixed(0) : '–'}</td>
            <td>{fits ? 'yes' : missing > 0 ? 'no memory' : 'no'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The result as one line of JSON, with a button that copies it. */
function Paste({ json }: { readonly json: string }): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const [message, setMessage] = useState('');
  const copy = async () => {
    box.current!.select();
    try {
      await navigator.clipboard.writeText(json);
      setMessage('Copied.');
    } catch {
      setMessage('The browser refused. The text is selected: copy it with the keyboard or the menu.');
    }
  };
  return (
    <section class="paste">
      <div class="row">
        <h2>Result to paste</h2>
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <textarea ref={box} readOnly rows={5} aria-label="Result as JSON" value={json} />
      <p role="status" class="quiet">
        {message}
      </p>
    </section>
  );
}
