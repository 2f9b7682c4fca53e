package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume that another node has open. It has no replicas of its own to tell of. Closing it fails
 * what is unanswered, with IO.
 */
@ConsumerType
public interface ForwardedVolume extends OpenVolume {

  /**
   * Sends what is unanswered, and all that comes from now on, to another device, and nothing to the
   * other node any more. To be called when the other node's engine can complete nothing any more:
   * what it did without its answer having come is done again. Blocks for a short time.
   *
   * @param to takes the requests from now on; not closed with this volume; not null
   */
  void redirect(BlockDevice to);
}
