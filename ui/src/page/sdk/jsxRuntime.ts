// The module react/jsx-runtime of contributions.
export { Fragment, jsx, jsxs } from 'react/jsx-runtime';
