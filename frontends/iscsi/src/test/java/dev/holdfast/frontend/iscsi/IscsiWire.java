package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.iscsi.internal.login.TextKeys;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.Pdu;
import dev.holdfast.frontend.iscsi.internal.pdu.PduTrailer;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** PDUs over a socket, on the initiator's side. */
final class IscsiWire implements Closeable {
  /** Maximum data that this client puts into a PDU, in bytes. */
  static final int SEGMENT = 256 << 10;

  private static final AtomicLong SESSIONS = new AtomicLong();
  private static final int FIRST_BURST = 256 << 10;

  private final Socket socket;
  private long isid;
  private int tsih;
  private final Frame frame = new Frame();
  private final ByteBuffer input = ByteBuffer.allocate(1 << 20).flip();
  private boolean found;
  private Digests digests = Digests.NONE;

  private IscsiWire(Socket socket) {
    this.socket = socket;
  }

  /** Logs in to a new session. */
  static IscsiWire login(URI endpoint, IscsiClient.Style style) throws IOException {
    return login(endpoint, style, 0x800000000000L | SESSIONS.incrementAndGet());
  }

  /** Logs in to a session with this initiator identifier. */
  static IscsiWire login(URI endpoint, IscsiClient.Style style, long isid) throws IOException {
    IscsiWire wire = connected(endpoint);
    try {
      wire.login(target(endpoint), style, isid);
      return wire;
    } catch (IOException | RuntimeException e) {
      wire.close();
      throw e;
    }
  }

  /**
   * Logs in to the same session with a further connection.
   *
   * @param cid identifier of the connection
   * @param cmdSn number of the session's next command
   */
  IscsiWire join(URI endpoint, IscsiClient.Style style, int cid, int cmdSn) throws IOException {
    IscsiWire wire = connected(endpoint);
    try {
      wire.join(target(endpoint), style, isid, tsih, cid, cmdSn);
      return wire;
    } catch (IOException | RuntimeException e) {
      wire.close();
      throw e;
    }
  }

  private void join(
      String target, IscsiClient.Style style, long session, int number, int cid, int cmdSn)
      throws IOException {
    Map<String, String> keys = ofConnection(target, style);
    byte[] text = TextKeys.write(keys);
    send(
        new LoginRequest(true, false, 1, 3, 0, 0, session, number, 0, cid, cmdSn, 0),
        text,
        0,
        text.length);
    isid = session;
    loggedIn(style);
  }

  private static String target(URI endpoint) {
    return endpoint.getPath().substring(1, endpoint.getPath().lastIndexOf('/'));
  }

  /** Returns the response to the first request of a login, of any kind. */
  static Frame loginAnswer(URI endpoint) throws IOException {
    try (IscsiWire wire = connected(endpoint)) {
      wire.requestLogin(target(endpoint), IscsiClient.Style.IMMEDIATE, SESSIONS.incrementAndGet());
      return wire.receive();
    }
  }

  private static IscsiWire connected(URI endpoint) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(endpoint.getHost(), endpoint.getPort()));
      socket.setTcpNoDelay(true);
      return new IscsiWire(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void login(String target, IscsiClient.Style style, long isid) throws IOException {
    requestLogin(target, style, isid);
    this.isid = isid;
    loggedIn(style);
  }

  private void loggedIn(IscsiClient.Style style) throws IOException {
    LoginResponse response = LoginResponse.parse(receive().header());
    if (response.status() != 0 || !response.transit()) {
      throw new IOException("login refused: " + Integer.toHexString(response.status()));
    }
    tsih = response.tsih();
    boolean summed = style == IscsiClient.Style.DIGESTS;
    digests = new Digests(summed, summed);
  }

  private static Map<String, String> ofConnection(String target, IscsiClient.Style style) {
    boolean summed = style == IscsiClient.Style.DIGESTS;
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("InitiatorName", "iqn.2026-01.test:kit");
    keys.put("TargetName", target);
    keys.put("SessionType", "Normal");
    keys.put("HeaderDigest", summed ? "CRC32C,None" : "None");
    keys.put("DataDigest", summed ? "CRC32C" : "None");
    keys.put("MaxRecvDataSegmentLength", String.valueOf(FIRST_BURST));
    return keys;
  }

  private void requestLogin(String target, IscsiClient.Style style, long isid) throws IOException {
    boolean solicited = style == IscsiClient.Style.SOLICITED;
    Map<String, String> keys = ofConnection(target, style);
    keys.put("MaxConnections", style == IscsiClient.Style.JOINT ? "16" : "1");
    keys.put("InitialR2T", solicited ? "Yes" : "No");
    keys.put("ImmediateData", solicited ? "No" : "Yes");
    keys.put("FirstBurstLength", String.valueOf(FIRST_BURST));
    keys.put("MaxBurstLength", "1048576");
    byte[] text = TextKeys.write(keys);
    send(
        new LoginRequest(true, false, 1, 3, 0, 0, isid, 0, 0, 0, firstCommand(), 0),
        text,
        0,
        text.length);
  }

  int firstCommand() {
    return 7;
  }

  int firstBurst() {
    return FIRST_BURST;
  }

  synchronized void send(Pdu pdu, byte[] data, int from, int length) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(digests.total(length));
    pdu.write(out);
    out.put(digests.dataAt(), data, from, length);
    PduTrailer.data(out, digests, length);
    PduTrailer.header(out, digests);
    socket.getOutputStream().write(out.array(), 0, out.position());
  }

  /** Waits for the next PDU; it is valid until the next call. */
  Frame receive() throws IOException {
    if (found) {
      frame.consume();
    }
    found = false;
    while (frame.find(input, digests, 1 << 20) != Frame.Found.WHOLE) {
      fill();
    }
    if (!frame.headerIntact() || !frame.dataIntact()) {
      throw new IOException("a digest is wrong");
    }
    found = true;
    return frame;
  }

  private void fill() throws IOException {
    input.compact();
    int count = socket.getInputStream().read(input.array(), input.position(), input.remaining());
    if (count < 0) {
      throw new EOFException("the target closed the connection");
    }
    input.position(input.position() + count).flip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
