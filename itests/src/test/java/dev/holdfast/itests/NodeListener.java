package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The table of the ports on which a node listens, and for each the client that has no credential.
 * See docs/operations/nodes.md, "Ports".
 */
enum NodeListener {
  /** Requests need a token. Health, version and joining need none. */
  API {
    @Override
    void refusesStrangers(RunningNode node) {
      for (String path :
          List.of(
              "/apis/holdfast.dev/v1/volumes",
              "/apis/holdfast.dev/v1/accesstokens",
              "/apis/holdfast.dev/v1/health",
              "/metrics",
              "/no/such/path")) {
        for (String header : List.of("Accept: application/json", "Authorization: Bearer hf_x")) {
          String address = "https://127.0.0.1:" + node.ports().api() + path;
          assertThat(
                  OtherAccount.run(
                          "curl",
                          "-ks",
                          "-o",
                          "/dev/null",
                          "-w",
                          "%{http_code}",
                          "-H",
                          header,
                          address)
                      .out())
              .as("%s with %s", path, header)
              .isEqualTo("401");
        }
      }
    }
  },

  /** Clients need TLS and a certificate. */
  NBD {
    @Override
    void refusesStrangers(RunningNode node) {
      String address = "127.0.0.1:" + node.ports().nbd();
      OtherAccount.run("nbdinfo", "--list", "nbd://" + address).failed();
      OtherAccount.run("nbdinfo", "nbd://" + address + "/shown-nbd").failed();
      OtherAccount.run("nbdinfo", "nbds://" + address + "/shown-nbd?tls-verify-peer=false")
          .failed();
    }
  },

  /** Clients need a secret for CHAP, also for discovery. */
  ISCSI {
    @Override
    void refusesStrangers(RunningNode node) {
      String address = "iscsi://127.0.0.1:" + node.ports().iscsi();
      OtherAccount.run("iscsi-ls", address).failed();
      OtherAccount.run("iscsi-inq", node.endpoint("shown-iscsi").toString()).failed();
    }
  },

  /** Clients need a secret for DH-HMAC-CHAP, also for discovery. */
  NVMEOF {
    @Override
    void refusesStrangers(RunningNode node) throws IOException {
      URI volume = node.endpoint("shown-nvmeof");
      assertThat(NvmeHost.ask(volume, UUID.randomUUID()).status()).isNotZero();
      URI discovery = volume.resolve("/" + NvmeDiscovery.SUBSYSTEM);
      assertThat(NvmeHost.ask(discovery, UUID.randomUUID()).status()).isNotZero();
    }
  },

  /** The other nodes need the certificate of a member. */
  RPC {
    @Override
    void refusesStrangers(RunningNode node) throws IOException, GeneralSecurityException {
      assertThat(answersWithoutCertificate(node.ports().rpc())).isFalse();
    }
  },

  /** The other nodes need the certificate of a member. */
  REPLICA {
    @Override
    void refusesStrangers(RunningNode node) throws IOException, GeneralSecurityException {
      String address = "127.0.0.1:" + node.ports().replica();
      OtherAccount.run("nbdinfo", "--list", "nbd://" + address).failed();
      OtherAccount.run("nbdinfo", "--list", "nbds://" + address + "?tls-verify-peer=false")
          .failed();
    }
  },

  /** The shell needs the password of the node, which is in a file of its account. */
  SSH {
    @Override
    void refusesStrangers(RunningNode node) {
      OtherAccount.run("cat", node.data().resolve("karaf/etc/users.properties").toString())
          .failed();
    }
  };

  private int port(Ports ports) {
    return switch (this) {
      case API -> ports.api();
      case NBD -> ports.nbd();
      case ISCSI -> ports.iscsi();
      case NVMEOF -> ports.nvmeof();
      case RPC -> ports.rpc();
      case REPLICA -> ports.replica();
      case SSH -> ports.ssh();
    };
  }

  /**
   * Fails unless the listener refuses clients without a credential. The node serves the volumes
   * shown-nbd, shown-iscsi and shown-nvmeof.
   */
  abstract void refusesStrangers(RunningNode node) throws IOException, GeneralSecurityException;

  /** Returns the listeners of this table that a node has open. */
  static Set<NodeListener> open(RunningNode node) throws IOException {
    Set<Integer> found = OtherAccount.tcpPorts(node.pid());
    Set<NodeListener> open = EnumSet.noneOf(NodeListener.class);
    for (NodeListener listener : values()) {
      if (found.contains(listener.port(node.ports()))) {
        open.add(listener);
      }
    }
    return open;
  }

  /** Returns the ports of a node that this table does not have. */
  static Set<Integer> unlisted(RunningNode node) throws IOException {
    Set<Integer> found = new TreeSet<>(OtherAccount.tcpPorts(node.pid()));
    for (NodeListener listener : values()) {
      found.remove(listener.port(node.ports()));
    }
    return found;
  }

  /** Returns whether a server sends anything to a client of TLS that shows no certificate. */
  private static boolean answersWithoutCertificate(int port)
      throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        SSLSocket socket =
            (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, false)) {
      socket.setSoTimeout(20_000);
      socket.startHandshake();
      return socket.getInputStream().read() >= 0;
    } catch (SSLException | SocketException e) {
      return false;
    }
  }

  /** The server is identified by its port; the test only checks what it requires of clients. */
  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
