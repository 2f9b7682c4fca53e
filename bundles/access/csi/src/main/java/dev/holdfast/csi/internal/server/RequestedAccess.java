package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.host.Filesystem;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import io.grpc.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * A checked volume capability: the access that a workload requests.
 *
 * @param block whether the access is to a device, otherwise to a filesystem
 * @param mode number of nodes, and whether they write
 * @param filesystem filesystem to make on an empty volume and to require, empty for any
 * @param flags options of mount(8)
 */
public record RequestedAccess(boolean block, Mode mode, String filesystem, List<String> flags) {
  private static final String MODES =
      "SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER,"
          + " SINGLE_NODE_MULTI_WRITER, MULTI_NODE_READER_ONLY, MULTI_NODE_MULTI_WRITER";

  public RequestedAccess {
    flags = List.copyOf(flags);
  }

  /** Checks a required capability. */
  public static RequestedAccess of(String field, boolean present, Csi.VolumeCapability capability)
      throws StatusException {
    if (!present) {
      throw CsiStatus.invalid(field, "is missing");
    }
    boolean block =
        switch (capability.getAccessTypeCase()) {
          case BLOCK -> true;
          case MOUNT -> false;
          case ACCESSTYPE_NOT_SET ->
              throw CsiStatus.invalid(field + ".access_type", "must be block or mount");
        };
    Mode mode = supported(field, capability.getAccessMode().getMode());
    return block
        ? new RequestedAccess(true, mode, "", List.of())
        : mounted(field + ".mount", mode, capability.getMount());
  }

  private static Mode supported(String field, Mode mode) throws StatusException {
    return switch (mode) {
      case SINGLE_NODE_WRITER,
          SINGLE_NODE_READER_ONLY,
          SINGLE_NODE_SINGLE_WRITER,
          SINGLE_NODE_MULTI_WRITER,
          MULTI_NODE_READER_ONLY,
          MULTI_NODE_MULTI_WRITER ->
          mode;
      case UNKNOWN, UNRECOGNIZED ->
          throw CsiStatus.invalid(field + ".access_mode", "is missing; supported are " + MODES);
      case MULTI_NODE_SINGLE_WRITER ->
          throw CsiStatus.invalid(
              field + ".access_mode", mode + " is not supported; supported are " + MODES);
    };
  }

  private static RequestedAccess mounted(
      String field, Mode mode, Csi.VolumeCapability.MountVolume mount) throws StatusException {
    String filesystem = mount.getFsType();
    checkFilesystem(field + ".fs_type", filesystem);
    if (!mount.getVolumeMountGroup().isEmpty()) {
      throw CsiStatus.invalid(
          field + ".volume_mount_group", "is not supported, as VOLUME_MOUNT_GROUP is not declared");
    }
    for (String flag : mount.getMountFlagsList()) {
      // The specification forbids flags in messages, because they may be secret.
      if (flag.isBlank() || !flag.strip().equals(flag) || flag.startsWith("-")) {
        throw CsiStatus.invalid(
            field + ".mount_flags", "each must be an option of mount(8) without blanks around it");
      }
    }
    return new RequestedAccess(false, mode, filesystem, mount.getMountFlagsList());
  }

  /** Checks the name of a filesystem, empty for any. */
  public static void checkFilesystem(String field, String name) throws StatusException {
    if (!name.isEmpty() && Filesystem.named(name).isEmpty()) {
      throw CsiStatus.invalid(
          field, "\"" + name + "\" is not supported; supported are " + Filesystem.names());
    }
  }

  /** Checks the capabilities of a volume, at least one. */
  public static List<RequestedAccess> all(List<Csi.VolumeCapability> capabilities)
      throws StatusException {
    if (capabilities.isEmpty()) {
      throw CsiStatus.invalid("volume_capabilities", "is missing");
    }
    List<RequestedAccess> all = new ArrayList<>();
    for (int i = 0; i < capabilities.size(); i++) {
      all.add(of("volume_capabilities[" + i + "]", true, capabilities.get(i)));
    }
    return all;
  }

  /** Returns the access mode of a volume with these capabilities. */
  public static AccessMode modeFor(List<RequestedAccess> all) {
    if (all.stream().anyMatch(access -> access.mode == Mode.MULTI_NODE_MULTI_WRITER)) {
      return AccessMode.READ_WRITE_MANY;
    }
    return all.stream().allMatch(access -> access.mode == Mode.MULTI_NODE_READER_ONLY)
        ? AccessMode.READ_ONLY_MANY
        : AccessMode.READ_WRITE_ONCE;
  }

  /** Returns whether volumes with these capabilities are devices that move during use. */
  public static boolean movesInUse(List<RequestedAccess> all) {
    return modeFor(all) == AccessMode.READ_WRITE_MANY
        && all.stream().anyMatch(RequestedAccess::block);
  }

  /**
   * Checks that a volume has the requested kind: writers on many nodes need either a device that
   * moves during use, or the filesystem of a share.
   *
   * @throws StatusException INVALID_ARGUMENT
   */
  public void requireKind(String field, Volume volume) throws StatusException {
    if (block && ShareManager.isShared(volume)) {
      throw CsiStatus.invalid(
          field + ".access_type",
          "volume "
              + volume.name()
              + " cannot be a device: it is not migratable, and a share exports its filesystem:"
              + " use a mount");
    }
    if (!block && writesOnManyNodes() && !ShareManager.isShared(volume)) {
      throw CsiStatus.invalid(
          field + ".access_type",
          "volume "
              + volume.name()
              + " cannot be a filesystem on many nodes: it is migratable: use a block device");
    }
  }

  /** Returns whether a volume with this access mode permits the access. */
  public boolean fits(AccessMode volume) {
    return switch (mode) {
      case MULTI_NODE_MULTI_WRITER -> volume == AccessMode.READ_WRITE_MANY;
      case MULTI_NODE_READER_ONLY, SINGLE_NODE_READER_ONLY -> true;
      default -> volume != AccessMode.READ_ONLY_MANY;
    };
  }

  /** Returns whether the mode forbids writes. */
  public boolean readsOnly() {
    return mode == Mode.MULTI_NODE_READER_ONLY || mode == Mode.SINGLE_NODE_READER_ONLY;
  }

  /** Returns whether the mode permits writers on other nodes. */
  public boolean writesOnManyNodes() {
    return mode == Mode.MULTI_NODE_MULTI_WRITER;
  }

  /** Returns whether the mode permits other nodes. */
  public boolean onManyNodes() {
    return mode == Mode.MULTI_NODE_READER_ONLY || mode == Mode.MULTI_NODE_MULTI_WRITER;
  }
}
