package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Images with the content of other images. */
@Component
public final class ImageCloneSource implements ImageSourceProvider {
  private static final String IMAGE = "backing-image";
  private static final String ENCRYPTION = "encryption";
  private static final String PLAIN = "ignore";

  @Override
  public String name() {
    return "clone";
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of(
        new SourceParameter(IMAGE, true, "Image whose content the image has."),
        new SourceParameter(ENCRYPTION, false, "Must be ignore: the content is copied as it is."));
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    String encryption = request.parameters().getOrDefault(ENCRYPTION, "");
    if (!encryption.isEmpty() && !encryption.equals(PLAIN)) {
      throw wrong(
          request,
          ENCRYPTION,
          "\"" + encryption + "\": only ignore is supported: encrypt inside the volumes");
    }
    String image = request.parameters().getOrDefault(IMAGE, "");
    if (image.equals(request.image())) {
      throw wrong(request, IMAGE, "\"" + image + "\": an image cannot be its own source");
    }
    return new ImageCloneTransfer(request, image);
  }

  private static StorageException wrong(ImageRequest request, String parameter, String why) {
    return new StorageException(
        ErrorCode.INVALID,
        "image " + request.image() + ": spec.sourceParameters[" + parameter + "]: " + why);
  }
}
