package dev.holdfast.csi.internal.controller;

import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.snapshot.CsiBackups;
import dev.holdfast.csi.internal.snapshot.ImageSnapshots;
import dev.holdfast.csi.v1.Csi;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Annotations of a volume that keep data of the create request for later calls. */
final class VolumeAnnotations {
  private VolumeAnnotations() {}

  /**
   * Returns the annotations of a new volume.
   *
   * @param image backing image of the volume, empty for none
   * @param expectedOn node that the orchestrator prefers, if any
   */
  static Map<String, String> of(
      Csi.CreateVolumeRequest request, String image, Optional<String> expectedOn) {
    Map<String, String> parameters = request.getParametersMap();
    Map<String, String> annotations = new LinkedHashMap<>(ClassParameters.forWhom(parameters));
    annotations.put(CsiVolumes.NAME, request.getName());
    annotations.put(CsiVolumes.PARAMETERS, ClassParameters.text(parameters));
    expectedOn.ifPresent(node -> annotations.put(CsiVolumes.EXPECTED_ON, node));
    String filesystem = parameters.getOrDefault(ClassParameters.FILESYSTEM, "");
    if (!filesystem.isEmpty()) {
      annotations.put(CsiVolumes.FILESYSTEM, filesystem);
    }
    String options = parameters.getOrDefault(ClassParameters.MAKE_OPTIONS, "");
    if (!options.isBlank()) {
      annotations.put(CsiVolumes.MAKE_OPTIONS, options);
    }
    if (request.getVolumeContentSource().hasSnapshot() && !image.isEmpty()) {
      annotations.put(CsiVolumes.IMAGE_SOURCE, ImageSnapshots.id(image));
    }
    CsiBackups.named(request.getVolumeContentSource().getSnapshot().getSnapshotId())
        .ifPresent(backup -> annotations.put(CsiVolumes.BACKUP_SOURCE, backup.id()));
    if (ClassParameters.isEncrypted(parameters)) {
      annotations.put(CsiVolumes.ENCRYPTED, "true");
    }
    return annotations;
  }
}
