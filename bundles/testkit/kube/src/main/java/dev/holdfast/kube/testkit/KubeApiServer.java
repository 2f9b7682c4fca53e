package dev.holdfast.kube.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A real API server of Kubernetes over a real etcd, on free ports of loopback. Not thread-safe. */
public final class KubeApiServer implements AutoCloseable {
  private static final long START_LIMIT_SECONDS = 120;
  private static final String TOKEN = "of-the-test";
  private static final String TESTER_TOKEN = "of-tester";
  private static final Pattern TOKEN_OF_ACCOUNT = Pattern.compile("\"token\": *\"([^\"]+)\"");

  private final Path directory;
  private final EtcdServer etcd;
  private final int port;
  private final List<String> options;
  private TestProgram program;

  private KubeApiServer(Path directory, EtcdServer etcd, List<String> options) throws IOException {
    this.directory = directory;
    this.etcd = etcd;
    this.port = TestProgram.freePort();
    this.options = List.copyOf(options);
    this.program = run();
  }

  /**
   * Starts an empty server and waits until it is ready.
   *
   * @param directory folder for its data and logs, created if missing
   * @param options additional options of kube-apiserver
   * @throws IOException when it does not start
   */
  public static KubeApiServer start(Path directory, String... options) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(
        directory.resolve("tokens.csv"),
        TOKEN + ",admin,admin,\"system:masters\"\n" + TESTER_TOKEN + ",tester,tester\n");
    Files.writeString(directory.resolve("service-accounts.key"), newKey());
    EtcdServer etcd = EtcdServer.start(directory);
    try {
      return new KubeApiServer(directory, etcd, List.of(options));
    } catch (IOException e) {
      etcd.close();
      throw e;
    }
  }

  private static String newKey() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      byte[] key = generator.generateKeyPair().getPrivate().getEncoded();
      String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
      return "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private TestProgram run() throws IOException {
    Path key = directory.resolve("service-accounts.key");
    List<String> command =
        new ArrayList<>(
            List.of(
                TestProgram.path("kube-apiserver"),
                "--etcd-servers=" + etcd.endpoint(),
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                "--secure-port=" + port,
                "--cert-dir=" + directory.resolve("certificates"),
                "--token-auth-file=" + directory.resolve("tokens.csv"),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=" + key,
                "--service-account-signing-key-file=" + key,
                "--service-cluster-ip-range=10.96.0.0/24",
                "--disable-admission-plugins=ServiceAccount",
                "--authorization-mode=RBAC"));
    command.addAll(options);
    TestProgram started = TestProgram.start(command, directory.resolve("kube-apiserver.log"));
    started.await(this::isReady, START_LIMIT_SECONDS);
    return started;
  }

  private boolean isReady() throws IOException {
    if (!Files.exists(certificate())) {
      return false;
    }
    try {
      HttpClient client =
          HttpClient.newBuilder().sslContext(trust()).connectTimeout(Duration.ofSeconds(2)).build();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(server() + "/readyz"))
              .header("Authorization", "Bearer " + TOKEN)
              .timeout(Duration.ofSeconds(5))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200;
    } catch (IOException | GeneralSecurityException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the API server", e);
    }
  }

  private Path certificate() {
    return directory.resolve("certificates/apiserver.crt");
  }

  private SSLContext trust() throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    int number = 0;
    try (var in = Files.newInputStream(certificate())) {
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca-" + number++, one);
      }
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  /** Returns the URL of the server, never null. */
  public String server() {
    return "https://127.0.0.1:" + port;
  }

  /** Returns the etcd behind it, never null. */
  public EtcdServer etcd() {
    return etcd;
  }

  /**
   * Writes a kubeconfig for its administrator.
   *
   * @return the file, which is written again at each call
   * @throws IOException when it cannot be written
   */
  public Path kubeconfig() throws IOException {
    return kubeconfigOf("admin", TOKEN);
  }

  /**
   * Writes a kubeconfig for a user without rights; a test binds a role to it.
   *
   * @return the file, which is written again at each call; the user is called {@code tester}
   * @throws IOException when it cannot be written
   */
  public Path kubeconfigOfTester() throws IOException {
    return kubeconfigOf("tester", TESTER_TOKEN);
  }

  /**
   * Writes a kubeconfig for a service account, with the rights that roles give it.
   *
   * @param namespace existing namespace of the account
   * @param name of the account
   * @return the file, which is written again at each call; its token is valid for one hour
   * @throws IOException when the account does not exist, or the file cannot be written
   */
  public Path kubeconfigOfServiceAccount(String namespace, String name) throws IOException {
    String path = "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + name + "/token";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server() + path))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\"}"))
            .build();
    HttpResponse<String> answer = send(request);
    Matcher token = TOKEN_OF_ACCOUNT.matcher(answer.body());
    if (answer.statusCode() != 201 || !token.find()) {
      throw new IOException("no token for " + namespace + "/" + name + ": " + answer.body());
    }
    return kubeconfigOf(name, token.group(1));
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException {
    try {
      return HttpClient.newBuilder()
          .sslContext(trust())
          .build()
          .send(request, HttpResponse.BodyHandlers.ofString());
    } catch (GeneralSecurityException e) {
      throw new IOException("no TLS to the API server", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the API server was asked", e);
    }
  }

  private Path kubeconfigOf(String user, String token) throws IOException {
    String authority =
        Base64.getEncoder()
            .encodeToString(Files.readString(certificate()).getBytes(StandardCharsets.US_ASCII));
    return Files.writeString(
        directory.resolve("kubeconfig-" + user),
        """
        apiVersion: v1
        kind: Config
        clusters:
        - name: test
          cluster:
            server: %s
            certificate-authority-data: %s
        users:
        - name: %s
          user:
            token: %s
        contexts:
        - name: test
          context:
            cluster: test
            user: %s
        current-context: test
        """
            .formatted(server(), authority, user, token, user));
  }

  /** Kills the API server, like a power failure; its etcd continues. */
  public void kill() {
    program.close();
  }

  /**
   * Restarts the server.
   *
   * @throws IOException when it does not start
   */
  public void restart() throws IOException {
    kill();
    program = run();
  }

  @Override
  public void close() {
    kill();
    etcd.close();
  }
}
