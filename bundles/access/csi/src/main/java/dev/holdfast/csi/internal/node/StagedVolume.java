package dev.holdfast.csi.internal.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.host.NfsMounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Record of a volume that is staged on this host, or whose staging has begun. It is written before
 * the first action, so that the remains after a crash are known.
 *
 * @param volume name of the volume
 * @param stagingPath staging path from the orchestrator
 * @param block whether it is used as a device
 * @param mode access mode
 * @param wanted the requested filesystem, empty for any
 * @param flags options of mount(8)
 * @param device the host's device, or the endpoint of a share; empty until it exists
 * @param filesystem present filesystem, empty until known; a known filesystem is never made again
 * @param targets paths at which it is published, or whose publication has begun
 * @param encrypted whether the device is the decrypted device above an encrypted one; false is not
 *     written, because earlier versions do not know the field
 */
record StagedVolume(
    String volume,
    String stagingPath,
    boolean block,
    Mode mode,
    String wanted,
    List<String> flags,
    String device,
    String filesystem,
    List<Target> targets,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean encrypted) {

  /**
   * Target path of a volume for a workload.
   *
   * @param path target path from the orchestrator
   * @param readOnly whether writes are forbidden
   */
  record Target(String path, boolean readOnly) {}

  StagedVolume {
    flags = List.copyOf(flags);
    targets = List.copyOf(targets);
  }

  static StagedVolume planned(
      String volume, String stagingPath, RequestedAccess access, boolean encrypted) {
    return new StagedVolume(
        volume,
        stagingPath,
        access.block(),
        access.mode(),
        access.filesystem(),
        access.flags(),
        "",
        "",
        List.of(),
        encrypted);
  }

  /** Returns whether the record is for the export of a share; then the device is its endpoint. */
  boolean isShare() {
    return filesystem.equals(NfsMounts.TYPE);
  }

  RequestedAccess access() {
    return new RequestedAccess(block, mode, wanted, flags);
  }

  StagedVolume on(String newDevice, String newFilesystem) {
    return new StagedVolume(
        volume,
        stagingPath,
        block,
        mode,
        wanted,
        flags,
        newDevice,
        newFilesystem,
        targets,
        encrypted);
  }

  StagedVolume plus(Target target) {
    List<Target> all = new ArrayList<>(targets);
    all.removeIf(present -> present.path().equals(target.path()));
    all.add(target);
    return withTargets(all);
  }

  StagedVolume minus(String path) {
    return withTargets(targets.stream().filter(target -> !target.path().equals(path)).toList());
  }

  private StagedVolume withTargets(List<Target> all) {
    return new StagedVolume(
        volume, stagingPath, block, mode, wanted, flags, device, filesystem, all, encrypted);
  }

  Optional<Target> target(String path) {
    return targets.stream().filter(target -> target.path().equals(path)).findFirst();
  }
}
