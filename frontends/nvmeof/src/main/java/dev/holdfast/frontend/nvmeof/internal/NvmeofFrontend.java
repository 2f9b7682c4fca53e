package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.MultipathFrontend;
import dev.holdfast.frontend.PresharedKey;
import dev.holdfast.frontend.PresharedKeyFrontend;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.auth.HostKeys;
import dev.holdfast.frontend.nvmeof.internal.auth.HostSecrets;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.discovery.DiscoverySource;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** NVMe over TCP frontend. */
@Component(service = FrontendProvider.class)
public final class NvmeofFrontend
    implements ReplaceableFrontend, PresharedKeyFrontend, MultipathFrontend {
  private static final int DEFAULT_PORT = 4420;
  private static final String REFERRALS = "holdfast.nvmeof.referrals";
  private static final String SECRETS = "holdfast.nvmeof.dhchap";
  private static final String KEYS = "holdfast.nvmeof.psk";

  private final Controllers controllers =
      new Controllers(
          System::nanoTime,
          System.currentTimeMillis(),
          below -> ThreadLocalRandom.current().nextInt(below));
  private final HostPolicy policy;

  /** Creates a frontend outside of a container, with the options of a standalone node. */
  public NvmeofFrontend() {
    this(name -> Optional.empty());
  }

  /**
   * Creates a frontend.
   *
   * @param bundle provides the options as properties, not null
   */
  @Activate
  public NvmeofFrontend(BundleContext bundle) {
    this(name -> Optional.ofNullable(bundle.getProperty(name)));
  }

  /**
   * Creates a frontend with options from another source.
   *
   * @param property returns the value of an option, not null
   */
  public NvmeofFrontend(Function<String, Optional<String>> property) {
    this.policy =
        new HostPolicy(
            DiscoverySource.of(property.apply(REFERRALS).orElse("")),
            new HostSecrets(property.apply(SECRETS).map(Path::of)),
            new HostKeys(property.apply(KEYS).map(Path::of)));
  }

  @Deactivate
  void close() {
    controllers.close();
  }

  @Override
  public String name() {
    return "nvmeof";
  }

  @Override
  public int defaultPort() {
    return DEFAULT_PORT;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    try {
      return new URI("nvme", null, host, port, "/" + NvmeNames.subsystem(export), null, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("export " + export + " at " + host + " has no URI", e);
    }
  }

  @Override
  public boolean keyed() {
    return policy.keys().present();
  }

  @Override
  public Optional<PresharedKey> presharedKey(String identity) throws StorageException {
    return policy.keys().of(identity);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return NvmeSession.begin(connection, controllers, policy);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    return NvmeSession.resume(connection, controllers, policy, state);
  }
}
