package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import io.grpc.StatusException;
import java.util.List;

/** Checks whether a volume supports given capabilities. Thread-safe. */
public final class CapabilityCheck {
  private final CsiVolumes volumes;

  public CapabilityCheck(CsiVolumes volumes) {
    this.volumes = volumes;
  }

  public Csi.ValidateVolumeCapabilitiesResponse validate(
      Csi.ValidateVolumeCapabilitiesRequest request) throws StorageException, StatusException {
    if (request.getVolumeId().isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    if (request.getVolumeCapabilitiesCount() == 0) {
      throw CsiStatus.invalid("volume_capabilities", "is missing");
    }
    Volume volume = volumes.require(request.getVolumeId());
    try {
      List<RequestedAccess> accesses = RequestedAccess.all(request.getVolumeCapabilitiesList());
      ClassParameters.modified(
          ClassParameters.created(VolumeSpec.EMPTY, request.getParametersMap()),
          request.getAttributeParametersMap());
      for (RequestedAccess access : accesses) {
        if (!access.fits(volume.spec().accessMode())) {
          return refused(
              "volume "
                  + volume.name()
                  + " was made for "
                  + volume.spec().accessMode()
                  + ", not for "
                  + access.mode());
        }
        access.requireKind("volume_capabilities", volume);
      }
    } catch (StatusException e) {
      return refused(e.getStatus().getDescription());
    }
    return Csi.ValidateVolumeCapabilitiesResponse.newBuilder()
        .setConfirmed(
            Csi.ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                .putAllVolumeContext(request.getVolumeContextMap())
                .addAllVolumeCapabilities(request.getVolumeCapabilitiesList())
                .putAllParameters(request.getParametersMap())
                .putAllAttributeParameters(request.getAttributeParametersMap()))
        .build();
  }

  private static Csi.ValidateVolumeCapabilitiesResponse refused(String why) {
    return Csi.ValidateVolumeCapabilitiesResponse.newBuilder().setMessage(why).build();
  }
}
