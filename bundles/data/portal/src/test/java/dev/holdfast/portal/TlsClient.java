package dev.holdfast.portal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Vector;
import org.bouncycastle.tls.AbstractTlsClient;
import org.bouncycastle.tls.BasicTlsPSKExternal;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.PRFAlgorithm;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsAuthentication;
import org.bouncycastle.tls.TlsClientProtocol;
import org.bouncycastle.tls.TlsPSKExternal;
import org.bouncycastle.tls.crypto.TlsSecret;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;

/** A client of {@link KeyedEchoFrontend} that offers keys. */
public final class TlsClient implements AutoCloseable {
  private final Socket socket;
  private final Protocol tls;
  private final DataInputStream in;

  /** The identity of a key, with its hash. */
  public record Offer(String identity, String key, int hash) {
    public static Offer known() {
      return new Offer("known", KeyedEchoFrontend.KEY, PRFAlgorithm.tls13_hkdf_sha256);
    }
  }

  private static final class Protocol extends TlsClientProtocol {
    Protocol(Socket socket) throws IOException {
      super(socket.getInputStream(), socket.getOutputStream());
    }

    void update() throws IOException {
      send13KeyUpdate(true);
    }
  }

  public TlsClient(URI endpoint, Offer... offers) throws IOException {
    socket = new Socket(endpoint.getHost(), endpoint.getPort());
    try {
      tls = new Protocol(socket);
      tls.connect(new Peer(List.of(offers)));
      in = new DataInputStream(new BufferedInputStream(tls.getInputStream()));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Changes the key, and requests the portal to change its own. */
  void changeKeys() throws IOException {
    tls.update();
  }

  void send(String message) throws IOException {
    byte[] text = message.getBytes(StandardCharsets.US_ASCII);
    byte[] whole = new byte[text.length + 1];
    whole[0] = (byte) text.length;
    System.arraycopy(text, 0, whole, 1, text.length);
    tls.getOutputStream().write(whole);
  }

  public byte[] receive(int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  String echo(String message) throws IOException {
    send(message);
    return new String(receive(message.length()), StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  @SuppressWarnings({"rawtypes", "JdkObsolete"}) // The library's types.
  private static final class Peer extends AbstractTlsClient {
    private final List<Offer> offers;

    Peer(List<Offer> offers) {
      super(new BcTlsCrypto(new SecureRandom()));
      this.offers = offers;
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
      return ProtocolVersion.TLSv13.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
      return new int[] {CipherSuite.TLS_AES_128_GCM_SHA256, CipherSuite.TLS_AES_256_GCM_SHA384};
    }

    @Override
    public Vector getExternalPSKs() {
      Vector<TlsPSKExternal> keys = new Vector<>();
      for (Offer offer : offers) {
        TlsSecret secret =
            getCrypto().createSecret(offer.key().getBytes(StandardCharsets.US_ASCII));
        keys.add(
            new BasicTlsPSKExternal(
                offer.identity().getBytes(StandardCharsets.UTF_8), secret, offer.hash()));
      }
      return keys;
    }

    @Override
    public TlsAuthentication getAuthentication() throws IOException {
      throw new IOException("the portal wants to show a certificate");
    }
  }
}
