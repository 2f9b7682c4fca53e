package dev.holdfast.imagesource.upload.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageBody;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** Images that a client sends. */
@Component
public final class UploadSource implements ImageSourceProvider {
  @Override
  public String name() {
    return "upload";
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of();
  }

  @Override
  public boolean takesBody() {
    return true;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    ImageBody body =
        request
            .body()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.INVALID,
                        "image "
                            + request.image()
                            + ": an upload needs a body: run 'holdfast image upload "
                            + request.image()
                            + " FILE'"));
    return new UploadTransfer(request.image(), body);
  }
}
