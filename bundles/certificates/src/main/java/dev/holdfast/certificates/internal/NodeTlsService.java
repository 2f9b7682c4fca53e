package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Prepares {@code <data>/tls} before anything that speaks TLS starts. */
@Component(service = NodeTls.class)
public final class NodeTlsService implements NodeTls {
  private final NodeTls files;

  /** Prepares the files. */
  @Activate
  public NodeTlsService(BundleContext context) throws StorageException, SocketException {
    this.files =
        TlsFiles.prepare(
            directory(context),
            node(context::getProperty),
            names(context::getProperty),
            Clock.systemUTC());
  }

  private static String node(Function<String, String> settings) {
    return Optional.ofNullable(settings.apply("holdfast.node.name")).orElse("node-1");
  }

  static Path directory(BundleContext context) {
    String data = context.getProperty("holdfast.data");
    if (data == null) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    return Path.of(data, "tls");
  }

  static List<String> names(Function<String, String> settings) throws SocketException {
    List<String> names = new ArrayList<>(List.of("localhost", "127.0.0.1", "::1"));
    names.add(node(settings));
    for (String key : List.of("holdfast.address", "holdfast.advertised.address")) {
      String address = settings.apply(key);
      if (address != null && isWildcard(address)) {
        names.addAll(ownAddresses());
      } else if (address != null && !address.isBlank()) {
        names.add(address.strip());
      }
    }
    return names;
  }

  private static boolean isWildcard(String address) {
    return address.equals("0.0.0.0") || address.equals("::");
  }

  private static List<String> ownAddresses() throws SocketException {
    List<String> addresses = new ArrayList<>();
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(device.getInetAddresses())) {
        if (!address.isLinkLocalAddress()) {
          addresses.add(address.getHostAddress());
        }
      }
    }
    return addresses;
  }

  @Override
  public Path caCertificate() {
    return files.caCertificate();
  }

  @Override
  public Path certificate() {
    return files.certificate();
  }

  @Override
  public Path key() {
    return files.key();
  }

  @Override
  public SSLContext serverContext() throws StorageException {
    return files.serverContext();
  }

  @Override
  public SSLContext peerContext() throws StorageException {
    return files.peerContext();
  }

  @Override
  public X509ExtendedKeyManager keyManager() throws StorageException {
    return files.keyManager();
  }

  @Override
  public X509ExtendedTrustManager trustManager() throws StorageException {
    return files.trustManager();
  }

  @Override
  public String peerName(Certificate[] chain) throws StorageException {
    return files.peerName(chain);
  }
}
