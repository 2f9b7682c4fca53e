package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import dev.holdfast.resource.backup.BackupBackingImage;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Delivers images from their backups at targets, whose credentials this bundle reads. */
@Component(service = ImageSourceProvider.class)
public final class ImageRestoreSource implements ImageSourceProvider {
  private final InstalledTargets targets;
  private final AttachedVolumes volumes;

  /** Creates the source of a running bundle. */
  @Activate
  public ImageRestoreSource(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this.targets = targets;
    this.volumes = volumes;
  }

  @Override
  public String name() {
    return BackupBackingImage.SOURCE_TYPE;
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of(
        new SourceParameter(
            BackupBackingImage.URL_PARAMETER,
            true,
            "Address of the backup: that of the target with the parameter "
                + BackupBackingImage.ADDRESS_PARAMETER
                + "."));
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    String address = request.parameters().getOrDefault(BackupBackingImage.URL_PARAMETER, "");
    String image;
    try {
      image = TargetUrl.parse(address).parameter(BackupBackingImage.ADDRESS_PARAMETER);
      BackupName.check("image", image);
    } catch (StorageException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.image()
              + ": spec.sourceParameters["
              + BackupBackingImage.URL_PARAMETER
              + "]: "
              + e.getMessage()
              + ": expected for example file:///backups?"
              + BackupBackingImage.ADDRESS_PARAMETER
              + "=NAME",
          e);
    }
    TargetAccess access = TargetAccess.of(address, volumes.store());
    return new ImageRestoreTransfer(targets, access, image);
  }
}
