package dev.holdfast.imagesource.volume.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Images of the content of volumes. */
@Component
public final class VolumeSource implements ImageSourceProvider {
  private static final String TYPE = "export-type";
  private static final String RAW = "raw";
  private static final String QCOW2 = "qcow2";

  @Override
  public String name() {
    return "export-from-volume";
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of(
        new SourceParameter(
            ClusterDisks.VOLUME_PARAMETER, true, "Volume whose content the image has."),
        new SourceParameter(
            ClusterDisks.SNAPSHOT_PARAMETER,
            false,
            "Snapshot of the volume; by default one is taken for the image."),
        new SourceParameter(TYPE, false, "Format of the delivered file: raw (default) or qcow2."));
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    String type = request.parameters().getOrDefault(TYPE, "");
    if (!type.isEmpty() && !type.equals(RAW) && !type.equals(QCOW2)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.image()
              + ": spec.sourceParameters["
              + TYPE
              + "]: \""
              + type
              + "\": expected raw or qcow2");
    }
    return new VolumeTransfer(request, type.equals(QCOW2));
  }
}
