// The module react-dom of contributions.
export { createPortal, flushSync, version } from 'react-dom';
export { default } from 'react-dom';
