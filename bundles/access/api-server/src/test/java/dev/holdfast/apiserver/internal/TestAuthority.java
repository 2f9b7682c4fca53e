package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** An authority whose certificates openssl makes. */
record TestAuthority(Path directory) {
  private static final String PASSWORD = "password";

  /** Makes an authority in a directory that is not there yet. */
  static TestAuthority create(Path directory) throws Exception {
    TestAuthority made = new TestAuthority(Files.createDirectory(directory));
    made.openssl(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        "/CN=users",
        "-days",
        "2",
        "-keyout",
        "ca.key",
        "-out",
        "ca.crt");
    return made;
  }

  Path certificate() {
    return directory.resolve("ca.crt");
  }

  /**
   * Makes NAME.crt and NAME.key.
   *
   * @param subject such as {@code /O=storage/CN=alice}
   * @param days of validity; a negative number makes an expired certificate
   */
  void user(String name, String subject, int days) throws Exception {
    openssl(
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        subject,
        "-keyout",
        name + ".key",
        "-out",
        name + ".csr");
    Files.writeString(directory.resolve("usage"), "extendedKeyUsage=clientAuth\n");
    openssl(
        "x509",
        "-req",
        "-in",
        name + ".csr",
        "-CA",
        "ca.crt",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        String.valueOf(days),
        "-extfile",
        "usage",
        "-out",
        name + ".crt");
  }

  /** Returns key managers that show a user's certificate. */
  KeyManager[] keys(String name) throws Exception {
    openssl(
        "pkcs12",
        "-export",
        "-in",
        name + ".crt",
        "-inkey",
        name + ".key",
        "-passout",
        "pass:" + PASSWORD,
        "-out",
        name + ".p12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(directory.resolve(name + ".p12"))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    return managers.getKeyManagers();
  }

  private void openssl(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }
}
