package dev.holdfast.csi.internal.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.host.NfsMounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A volume that is staged on this host, or whose staging has begun. Written before anything is
 * done, so that what a crash left is known.
 *
 * @param volume its name
 * @param stagingPath as the orchestrator gave it
 * @param block whether it is used as a device
 * @param mode how it is used
 * @param wanted the requested filesystem, empty for any
 * @param flags options of mount(8)
 * @param device the host's device, or the endpoint of a share; empty until there is one
 * @param filesystem what is on it, empty until that is known: from then on none is ever made
 * @param targets paths at which it is published, or whose publication has begun
 * @param encrypted whether the device is one in clear above an encrypted one; not written where it
 *     is not, for earlier versions do not know it
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
   * Place of a volume for a workload.
   *
   * @param path as the orchestrator gave it
   * @param readOnly whether it must not write there
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

  /** Returns whether it is the export of a share; then the device is its endpoint. */
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
