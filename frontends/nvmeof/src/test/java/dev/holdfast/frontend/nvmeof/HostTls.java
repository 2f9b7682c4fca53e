package dev.holdfast.frontend.nvmeof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * TLS of a host: keys derived from the specification, independent of the controller's code, and
 * OpenSSL's {@code s_client} as the TLS client.
 *
 * @param hash 1 for SHA-256, 2 for SHA-384
 * @param version of the identity, 0 or 1
 * @param configured key that both sides were given, in hexadecimal digits
 * @param options further options of {@code s_client}
 */
record HostTls(int hash, int version, String configured, List<String> options)
    implements Wire.Dialer {

  static HostTls of(int hash, int version) {
    return new HostTls(hash, version, "", List.of())
        .withKey(NvmeTestBase.random(hash == 1 ? 32 : 48, 77 + hash));
  }

  HostTls with(String... more) {
    return new HostTls(hash, version, configured, List.of(more));
  }

  HostTls withKey(byte[] other) {
    return new HostTls(hash, version, HexFormat.of().formatHex(other), options);
  }

  /** The key as tools write it. */
  String text() {
    byte[] key = HexFormat.of().parseHex(configured);
    CRC32 crc = new CRC32();
    crc.update(key);
    ByteBuffer whole = ByteBuffer.allocate(key.length + 4).order(ByteOrder.LITTLE_ENDIAN);
    whole.put(key).putInt((int) crc.getValue());
    return "NVMeTLSkey-1:0" + hash + ":" + Base64.getEncoder().encodeToString(whole.array()) + ":";
  }

  String identity(String host, String subsystem) {
    String names = host + " " + subsystem;
    if (version == 0) {
      return "NVMe0R0" + hash + " " + names;
    }
    byte[] digest = mac(retained(host), ascii(names + " NVMe-over-Fabrics"));
    return "NVMe1R0" + hash + " " + names + " " + Base64.getEncoder().encodeToString(digest);
  }

  byte[] key(String host, String subsystem) {
    String identity = identity(host, subsystem);
    String context =
        version == 0
            ? identity
            : "0" + hash + " " + identity.substring(identity.lastIndexOf(' ') + 1);
    return derived(retained(host), "tls13 nvme-tls-psk", context);
  }

  private byte[] retained(String host) {
    return derived(HexFormat.of().parseHex(configured), "tls13 HostNQN", host);
  }

  private byte[] derived(byte[] from, String label, String context) {
    int length = from.length;
    String info =
        "%c%c%c%s%c%s%c".formatted(0, length, label.length(), label, context.length(), context, 1);
    return mac(mac(new byte[length], from), info.getBytes(StandardCharsets.ISO_8859_1));
  }

  private byte[] mac(byte[] key, byte[] data) {
    String name = hash == 1 ? "HmacSHA256" : "HmacSHA384";
    try {
      Mac mac = Mac.getInstance(name);
      mac.init(new SecretKeySpec(key, name));
      return mac.doFinal(data);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public Wire dial(URI endpoint, String host, String subsystem) throws IOException {
    Path session = Files.createTempFile("session", ".pem");
    Files.writeString(session, session(key(host, subsystem)));
    List<String> command =
        new ArrayList<>(
            List.of(
                "openssl",
                "s_client",
                "-connect",
                endpoint.getHost() + ":" + endpoint.getPort(),
                "-quiet",
                "-nocommands",
                "-tls1_3",
                "-psk_identity",
                identity(host, subsystem)));
    command.addAll(
        hash == 1
            ? List.of("-psk", HexFormat.of().formatHex(key(host, subsystem)))
            : List.of("-psk_session", session.toString()));
    command.addAll(options);
    Process openssl =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return new Wire(
        openssl.getInputStream(), openssl.getOutputStream(), () -> end(openssl, session));
  }

  private static void end(Process openssl, Path session) {
    openssl.destroyForcibly();
    try {
      Files.deleteIfExists(session);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A session in OpenSSL's own format, with the key and its cipher suite. */
  private String session(byte[] key) {
    byte[] fields =
        Streams.concat(
            List.of(
                HexFormat.of().parseHex("02010102020304"),
                HexFormat.of().parseHex("0402130" + hash),
                HexFormat.of().parseHex("040004" + HexFormat.of().toHexDigits((byte) key.length)),
                key));
    byte[] whole = Streams.concat(List.of(new byte[] {0x30, (byte) fields.length}, fields));
    return "-----BEGIN SSL SESSION PARAMETERS-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(whole)
        + "\n-----END SSL SESSION PARAMETERS-----\n";
  }
}
