import { IssueCards } from '../files/issue-cards.tsx';
import { dismiss, dismissAll, notices } from './state.ts';

/** Messages about what did not work, or worked in part. The newest is first. */
export function Notices() {
  const { length } = notices.value;
  return (
    <div class="notices">
      {length > 1 && (
        <button type="button" class="close-all" onClick={dismissAll}>
          Close all {length}
        </button>
      )}
      {notices.value.map((notice) => (
        <div class="notice" key={notice.key}>
          <IssueCards title={notice.title} issues={notice.issues} onClose={() => dismiss(notice)} />
        </div>
      ))}
    </div>
  );
}
