package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import java.net.InetAddress;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Images that an HTTP server has. */
@Component
public final class DownloadSource implements ImageSourceProvider {
  static final String URL = "url";

  /** Creates the source. */
  @Activate
  public DownloadSource() {}

  @Override
  public String name() {
    return "download";
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of(new SourceParameter(URL, true, "Address of the image, http://… or https://…"));
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    DownloadUrl url =
        DownloadUrl.parse(request.image(), request.parameters().getOrDefault(URL, ""));
    SSLSocketFactory tls = (SSLSocketFactory) SSLSocketFactory.getDefault();
    return new DownloadTransfer(
        request.image(),
        url,
        new HttpDialer(
            request.image(),
            request.addresses(),
            request.proxy(),
            InetAddress::getAllByName,
            tls,
            DownloadLimits.DEFAULT));
  }
}
