package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.login.ChapSecrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** iSCSI frontend: each export is a target with one logical unit. */
@Component(service = FrontendProvider.class)
public final class IscsiFrontend implements ReplaceableFrontend {
  /** Property that names the file with CHAP secrets. */
  static final String SECRETS = "holdfast.iscsi.chap";

  private static final int DEFAULT_PORT = 3260;

  private final IscsiContext common;

  /** Creates a frontend that admits all initiators. */
  public IscsiFrontend() {
    this(Optional.empty());
  }

  /** Creates a frontend with the file of secrets that the container's properties name. */
  @Activate
  public IscsiFrontend(BundleContext bundle) {
    this(
        Optional.ofNullable(bundle.getProperty(SECRETS))
            .filter(name -> !name.isBlank())
            .map(Path::of));
  }

  /**
   * Creates a frontend with a file of secrets.
   *
   * @param secrets see {@link ChapSecrets}, not null
   */
  public IscsiFrontend(Optional<Path> secrets) {
    this.common = new IscsiContext(new ChapSecrets(secrets));
  }

  @Override
  public String name() {
    return "iscsi";
  }

  @Override
  public int defaultPort() {
    return DEFAULT_PORT;
  }

  @Override
  public boolean hasTls() {
    return false;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    try {
      String path = "/" + TargetNames.of(export) + "/0";
      return new URI("iscsi", null, host, port, path, null, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("export " + export + " at " + host + " has no URI", e);
    }
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return IscsiSession.begin(connection, common);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    return IscsiSession.resume(connection, common, state);
  }
}
