import { expect, test } from 'vitest';
import { figuresOf, ratesBetween, samplesOf, type Figures } from './figures';

const TEXT = `# HELP holdfast_volume_requests_total Requests.
# TYPE holdfast_volume_requests_total counter
holdfast_volume_requests_total{volume="films",kind="read"} 12.0
holdfast_volume_requests_total{volume="films",kind="write"} 3.0
holdfast_volume_bytes_total{volume="films",kind="read"} 49152.0
holdfast_volume_request_seconds_bucket{volume="films",kind="read",le="+Inf"} 12
holdfast_volume_request_seconds_count{volume="films",kind="read"} 12
holdfast_volume_request_seconds_sum{volume="films",kind="read"} 0.024
holdfast_volume_requests_in_flight{volume="films"} 0.0
`;

const none: Figures = { at: 0, reads: 0, writes: 0, readBytes: 0, writtenBytes: 0, timed: 0, seconds: 0 };

test('samples have name, labels and value', () => {
  expect(samplesOf('a_total{x="1",y="q\\"\\\\,}"} 2.5\nb 7 1700000000\n# c 1\n\nnonsense')).toEqual([
    { name: 'a_total', labels: { x: '1', y: 'q"\\,}' }, value: 2.5 },
    { name: 'b', labels: {}, value: 7 },
  ]);
});

test('figures add up the kinds', () => {
  expect(figuresOf(samplesOf(TEXT), 5)).toEqual({ at: 5, reads: 12, writes: 3, readBytes: 49152, writtenBytes: 0, timed: 12, seconds: 0.024 });
});

test('a node that does not serve the volume has no figures', () => {
  expect(figuresOf(samplesOf('holdfast_volume_size_bytes{volume="films"} 1.0'), 5)).toBeUndefined();
});

test('rates are per second, and the time is the mean', () => {
  const after = { ...none, at: 2000, reads: 10, writtenBytes: 4096, timed: 10, seconds: 0.005 };
  expect(ratesBetween(none, after)).toEqual({ at: 2000, reads: 5, writes: 0, readBytes: 0, writtenBytes: 2048, milliseconds: 0.5 });
  expect(ratesBetween(after, { ...after, at: 4000 })?.milliseconds).toBeNull();
});

test('counters that began again give no rate', () => {
  expect(ratesBetween({ ...none, reads: 5 }, { ...none, at: 1000, reads: 1 })).toBeUndefined();
});
