package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A forwarded volume whose device grows with the volume on the other node.
 *
 * @since 2.2
 */
@ConsumerType
public interface ResizableForwardedVolume extends ForwardedVolume {

  /**
   * Grows the device to the size of the volume on the other node. Called after that node completed
   * the expansion. Requests continue. Succeeds without effect if the device already has the size.
   * Does not block; called from one thread at a time.
   *
   * @param sizeBytes the size that the other node reported, a multiple of 4096
   */
  void grown(long sizeBytes);
}
