package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.StoreEditor;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.mounts.NfsOptions;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.ResourceStore;
import java.util.List;

/**
 * Writes the parameters of the class for the filesystem and for mounts into the share of a new
 * volume. Idempotent. Thread-safe.
 */
final class ShareProvisioning {
  private final ResourceStore store;
  private final StoreEditor editor;

  ShareProvisioning(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /** Writes the settings into the share, which may already exist. */
  void settle(Volume volume, Csi.CreateVolumeRequest request, List<RequestedAccess> accesses)
      throws StorageException {
    ShareManagerSpec made =
        settled(ShareManagerSpec.EMPTY.withVolume(volume.name()), request, accesses);
    if (store.get(ShareManager.KIND, volume.name()).isEmpty()) {
      try {
        store.create(ShareManager.of(made));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.ALREADY_EXISTS) {
          throw e;
        }
      }
    }
    editor.edit(
        ShareManager.KIND,
        volume.name(),
        share -> share.withSpec(settled(share.spec(), request, accesses)));
  }

  /** Keeps values that the class does not set. */
  private static ShareManagerSpec settled(
      ShareManagerSpec spec, Csi.CreateVolumeRequest request, List<RequestedAccess> accesses) {
    String type =
        accesses.stream()
            .map(RequestedAccess::filesystem)
            .filter(name -> !name.isEmpty())
            .findFirst()
            .orElse(request.getParametersOrDefault(ClassParameters.FILESYSTEM, ""));
    String options = request.getParametersOrDefault(ClassParameters.MAKE_OPTIONS, "");
    String mount = request.getParametersOrDefault(ClassParameters.NFS_OPTIONS, "");
    ShareFilesystem filesystem = spec.filesystem();
    if (!type.isEmpty()) {
      filesystem = filesystem.withType(type);
    }
    if (!options.isBlank()) {
      filesystem = filesystem.withFormatOptions(ClassParameters.makeOptions(options));
    }
    ShareManagerSpec result = spec.withFilesystem(filesystem);
    if (ClassParameters.isEncrypted(request.getParametersMap())) {
      result =
          result.withKeySecret(
              request.getParametersOrDefault(ClassParameters.SHARE_KEY_SECRET, ""));
    }
    return mount.isBlank() ? result : result.withMountOptions(NfsOptions.parse(mount));
  }
}
