// Sends the file of an image. This is the only XMLHttpRequest, because fetch does not report the progress of uploads.
import { address, ApiError, get } from '../api/client';

const AWAIT_MS = 30_000;
const POLL_MS = 500;

export interface UploadProgress {
  sent: number;
  total: number;
  bytesPerSecond: number;
}

/** States in which a node receives a file. An interrupted upload is sent again completely. */
const RECEIVES = new Set(['starting', 'failed']);

/** Waits up to 30 s until a node receives the file. */
export async function awaitReceiver(name: string, signal: AbortSignal, late: string): Promise<void> {
  const end = Date.now() + AWAIT_MS;
  for (;;) {
    const image = await get('backingimages', name);
    if (Object.values(image.status.diskFileStatusMap).some(({ state }) => RECEIVES.has(state))) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(late);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
  }
}

/** Sends a file as a part of a form. An abort ends the transfer. */
export function upload(name: string, file: File, signal: AbortSignal, progress: (state: UploadProgress) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const began = Date.now();
    request.open('POST', `${address('backingimages', name)}/upload?size=${file.size}`);
    request.setRequestHeader('X-Holdfast-Page', '1');
    request.upload.onprogress = ({ loaded }) => {
      const seconds = Math.max(0.001, (Date.now() - began) / 1000);
      progress({ sent: loaded, total: file.size, bytesPerSecond: loaded / seconds });
    };
    request.onload = () => (request.status < 300 ? resolve() : reject(refusal(request)));
    request.onerror = () => reject(new Error(`${request.status || ''} ${request.statusText}`.trim() || 'the connection was cut'));
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  });
}

function refusal(request: XMLHttpRequest): Error {
  try {
    const { message, reason } = JSON.parse(request.responseText) as { message: string; reason: string };
    return new ApiError(request.status, reason, message);
  } catch {
    return new Error(`the server answered ${request.status}`);
  }
}
