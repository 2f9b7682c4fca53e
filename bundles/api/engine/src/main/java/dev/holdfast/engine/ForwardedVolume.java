package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume that is open on another node. Its replica map is empty. Closing it fails unanswered
 * requests with IO.
 */
@ConsumerType
public interface ForwardedVolume extends OpenVolume {

  /**
   * Sends the unanswered requests and all later ones to another device instead of the other node.
   * The caller must first ensure that the other node's engine completes no further requests,
   * because executed but unanswered requests are repeated. Blocks for a short time.
   *
   * @param to device that receives the requests; not closed with this volume; not null
   */
  void redirect(BlockDevice to);
}
