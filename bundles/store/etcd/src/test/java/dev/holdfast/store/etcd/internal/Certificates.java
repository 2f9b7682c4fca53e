package dev.holdfast.store.etcd.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Certificates of an authority, a server and a client, made with openssl. */
final class Certificates {
  private final Path directory;

  private Certificates(Path directory) {
    this.directory = directory;
  }

  String of(String name) {
    return directory.resolve(name).toString();
  }

  static Certificates make(Path parent) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(parent.resolve("tls"));
    Certificates made = new Certificates(directory);
    made.key("ca");
    made.openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=ca", "-out", "ca.crt");
    Files.writeString(directory.resolve("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
    for (String name : List.of("server", "client")) {
      made.key(name);
      made.openssl("req", "-new", "-key", name + ".key", "-subj", "/CN=" + name, "-out", name);
      made.openssl(
          "x509",
          "-req",
          "-in",
          name,
          "-CA",
          "ca.crt",
          "-CAkey",
          "ca.key",
          "-CAcreateserial",
          "-extfile",
          "names",
          "-days",
          "2",
          "-out",
          name + ".crt");
    }
    return made;
  }

  private void key(String name) throws IOException, InterruptedException {
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name + ".key");
  }

  private void openssl(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + output);
    }
  }
}
