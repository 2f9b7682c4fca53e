package dev.holdfast.imagesource.download.internal;

import java.time.Duration;

/**
 * How long a server is waited for.
 *
 * @param connect longest time of a connection's beginning
 * @param head longest time until the head of the response is complete
 * @param stall longest silence inside the body
 */
record DownloadLimits(Duration connect, Duration head, Duration stall) {
  static final DownloadLimits DEFAULT =
      new DownloadLimits(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60));
}
