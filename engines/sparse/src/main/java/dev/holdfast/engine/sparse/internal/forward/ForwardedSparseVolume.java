package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.ResizableForwardedVolume;
import java.util.Map;

/**
 * A volume that another node has open.
 *
 * @param device forwards the requests
 */
public record ForwardedSparseVolume(ForwardedDevice device) implements ResizableForwardedVolume {
  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of();
  }

  @Override
  public void redirect(BlockDevice to) {
    device.redirect(to);
  }

  @Override
  public void grown(long sizeBytes) {
    device.grown(sizeBytes);
  }

  @Override
  public void close() {
    device.close();
  }
}
