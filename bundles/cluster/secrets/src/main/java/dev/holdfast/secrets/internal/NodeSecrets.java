package dev.holdfast.secrets.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.secret.Secrets;
import dev.holdfast.secrets.SecretFolder;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** The secrets in the state directory of this node, as a service with priority over others. */
@Component(property = Constants.SERVICE_RANKING + ":Integer=10")
public final class NodeSecrets implements Secrets {
  private static final String DATA = "holdfast.data";

  private final SecretFolder folder;

  /** Reads where the state directory is. */
  @Activate
  public NodeSecrets(BundleContext context) throws StorageException {
    String data = context.getProperty(DATA);
    if (data == null || data.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, "the framework property " + DATA + " is not set");
    }
    this.folder = SecretFolder.ofNode(Path.of(data));
  }

  @Override
  public Optional<Map<String, byte[]>> read(String name) throws StorageException {
    return folder.read(name);
  }
}
