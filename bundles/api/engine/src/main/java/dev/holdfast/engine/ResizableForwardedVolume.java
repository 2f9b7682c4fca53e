package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A forwarded volume whose device follows the growth of the volume that the other node has open.
 *
 * @since 2.2
 */
@ConsumerType
public interface ResizableForwardedVolume extends ForwardedVolume {

  /**
   * Makes the device as large as the volume is on the other node. Called after that node completed
   * the growth. Requests continue. Succeeds without effect when the device is that large already.
   * Does not block; from one thread at a time.
   *
   * @param sizeBytes the size that the other node reported, a multiple of 4096
   */
  void grown(long sizeBytes);
}
