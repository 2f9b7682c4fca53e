package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.MemberMode;
import java.util.Map;

/**
 * A volume that another node has open.
 *
 * @param device passes requests on
 */
public record ForwardedSparseVolume(ForwardedDevice device) implements ForwardedVolume {
  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of();
  }

  @Override
  public void redirect(BlockDevice to) {
    device.redirect(to);
  }

  @Override
  public void close() {
    device.close();
  }
}
