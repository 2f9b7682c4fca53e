export default function contribute() {
  throw new Error('planted');
}
