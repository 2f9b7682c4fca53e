package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.RequestFailedException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A client written from the specification, independent of the server's codecs. One thread reads
 * replies; requests are sent immediately.
 */
final class NbdClient implements FrontendClient {
  static final int READ = 0;
  static final int WRITE = 1;
  static final int FLUSH = 3;
  static final int TRIM = 4;
  static final int CACHE = 5;
  static final int WRITE_ZEROES = 6;
  static final int BLOCK_STATUS = 7;
  static final int FUA = 1;
  static final int NO_HOLE = 2;
  static final int DF = 4;
  static final int REQ_ONE = 8;
  static final int FAST_ZERO = 16;
  private static final int PAYLOAD = 32;

  private static final long OPTION = 0x49484156454f5054L;
  private static final long OPTION_REPLY = 0x3e889045565a9L;

  private Socket socket;
  private DataInputStream in;
  private DataOutputStream out;
  private final Style style;
  private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
  private long cookies;
  private boolean dead;
  private long size;

  /** Requests of the client in its handshake. */
  enum Style {
    SIMPLE,
    STRUCTURED,
    EXTENDED
  }

  /** One extent of a block status. */
  record Extent(long length, long flags) {}

  private record Pending(
      CompletableFuture<byte[]> answer,
      long offset,
      ByteBuffer content,
      List<Extent> extents,
      List<Integer> errors,
      List<Integer> chunks) {}

  private NbdClient(Socket socket, Style style) throws IOException {
    this.style = style;
    use(socket);
  }

  private void use(Socket connected) throws IOException {
    socket = connected;
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(socket.getOutputStream());
  }

  static NbdClient connect(URI endpoint, Style style) throws IOException {
    return connect(endpoint, style, Optional.empty());
  }

  /** Starts TLS first if a trust store is given. */
  static NbdClient connect(URI endpoint, Style style, Optional<SSLContext> trust)
      throws IOException {
    Socket socket = new Socket(endpoint.getHost(), endpoint.getPort());
    socket.setTcpNoDelay(true);
    try {
      NbdClient client = new NbdClient(socket, style);
      client.negotiate(endpoint.getPath().substring(1), trust);
      Thread reader = new Thread(client::readReplies, "nbd-client");
      reader.setDaemon(true);
      reader.start();
      return client;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  long size() {
    return size;
  }

  CompletableFuture<byte[]> request(int type, int flags, long offset, long length) {
    return send(type, flags, offset, length, new byte[0]).answer();
  }

  /** Requests the extents of a range and waits for the complete reply. */
  List<Extent> blockStatus(long offset, long length, int flags) throws Exception {
    Pending request = send(BLOCK_STATUS, flags, offset, length, new byte[0]);
    byte[] unused = FrontendWait.get(request.answer());
    return request.extents();
  }

  /** Reads, and returns the number of data chunks of the reply. */
  int chunksOfRead(long offset, int length, int flags) throws Exception {
    Pending request = send(READ, flags, offset, length, new byte[0]);
    byte[] unused = FrontendWait.get(request.answer());
    return request.chunks().size();
  }

  @Override
  public CompletableFuture<byte[]> read(long offset, int length) {
    return request(READ, 0, offset, length);
  }

  @Override
  public CompletableFuture<Void> write(long offset, byte[] data, boolean durable) {
    return send(WRITE, durable ? FUA : 0, offset, data.length, data)
        .answer()
        .thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<Void> flush() {
    return request(FLUSH, 0, 0, 0).thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, int length) {
    return request(WRITE_ZEROES, 0, offset, length).thenAccept(done -> {});
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void negotiate(String export, Optional<SSLContext> trust) throws IOException {
    long magic = in.readLong();
    long option = in.readLong();
    int flags = in.readUnsignedShort();
    if (magic != 0x4e42444d41474943L || option != OPTION || flags != 3) {
      throw new IOException("no fixed newstyle server");
    }
    out.writeInt(3);
    if (trust.isPresent()) {
      changeToTls(trust.get());
    }
    switch (style) {
      case SIMPLE -> {
        // Simple replies need no option.
      }
      case STRUCTURED -> simpleOption(8, export);
      case EXTENDED -> simpleOption(11, export);
    }
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    ByteBuffer go = ByteBuffer.allocate(6 + name.length);
    go.putInt(name.length).put(name).putShort((short) 0);
    ByteBuffer info = option(7, go.array());
    while (info.getShort(0) != 0) {
      info = optionReply(7);
    }
    size = info.getLong(2);
    while (optionReply(7).hasRemaining()) {
      // The other information is ignored.
    }
  }

  private void changeToTls(SSLContext trust) throws IOException {
    if (option(5, new byte[0]).hasRemaining()) {
      throw new IOException("TLS was not simply acknowledged");
    }
    String host = socket.getInetAddress().getHostAddress();
    SSLSocket secured =
        (SSLSocket) trust.getSocketFactory().createSocket(socket, host, socket.getPort(), true);
    secured.startHandshake();
    use(secured);
  }

  private void simpleOption(int number, String export) throws IOException {
    if (option(number, new byte[0]).hasRemaining()) {
      throw new IOException("option " + number + " was not simply acknowledged");
    }
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    byte[] context = "base:allocation".getBytes(StandardCharsets.UTF_8);
    ByteBuffer query = ByteBuffer.allocate(12 + name.length + context.length);
    query.putInt(name.length).put(name).putInt(1).putInt(context.length).put(context);
    if (option(10, query.array()).getInt() != 1 || optionReply(10).hasRemaining()) {
      throw new IOException("base:allocation has not the expected id");
    }
  }

  private ByteBuffer option(int number, byte[] data) throws IOException {
    out.writeLong(OPTION);
    out.writeInt(number);
    out.writeInt(data.length);
    out.write(data);
    return optionReply(number);
  }

  /** Returns the content of a reply; empty for an acknowledgement. */
  private ByteBuffer optionReply(int number) throws IOException {
    if (in.readLong() != OPTION_REPLY || in.readInt() != number) {
      throw new IOException("expected a reply to option " + number);
    }
    int type = in.readInt();
    byte[] data = in.readNBytes(in.readInt());
    if (type < 0) {
      throw new IOException("option refused: " + new String(data, StandardCharsets.UTF_8));
    }
    return ByteBuffer.wrap(data);
  }

  private synchronized Pending send(int type, int flags, long offset, long length, byte[] data) {
    long cookie = ++cookies;
    Pending request =
        new Pending(
            new CompletableFuture<>(),
            offset,
            ByteBuffer.allocate(type == READ ? (int) length : 0),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    pending.put(cookie, request);
    try {
      if (dead) {
        throw new IOException("the connection is lost");
      }
      out.write(header(type, flags, cookie, offset, length));
      out.write(data);
    } catch (IOException e) {
      pending.remove(cookie);
      request.answer().completeExceptionally(e);
    }
    return request;
  }

  private byte[] header(int type, int flags, long cookie, long offset, long length) {
    boolean extended = style == Style.EXTENDED;
    ByteBuffer header = ByteBuffer.allocate(extended ? 32 : 28);
    header.putInt(extended ? 0x21e41c71 : 0x25609513);
    header.putShort((short) (flags | (extended && type == WRITE ? PAYLOAD : 0)));
    header.putShort((short) type).putLong(cookie).putLong(offset);
    if (extended) {
      header.putLong(length);
    } else {
      header.putInt((int) length);
    }
    return header.array();
  }

  private void readReplies() {
    try {
      while (true) {
        readReply();
      }
    } catch (IOException e) {
      synchronized (this) {
        dead = true;
      }
      pending.values().forEach(request -> request.answer().completeExceptionally(e));
    }
  }

  private void readReply() throws IOException {
    int magic = in.readInt();
    switch (magic) {
      case 0x67446698 -> readSimple();
      case 0x668e33ef -> readChunk(false);
      case 0x6e8a278c -> readChunk(true);
      default -> throw new IOException("unknown magic " + Integer.toHexString(magic));
    }
  }

  private void readSimple() throws IOException {
    int error = in.readInt();
    long cookie = in.readLong();
    Pending request = find(cookie);
    if (error != 0) {
      request.errors().add(error);
    } else {
      in.readFully(request.content().array());
      request.chunks().add(request.content().array().length);
    }
    done(cookie, request);
  }

  private void readChunk(boolean extended) throws IOException {
    boolean last = (in.readUnsignedShort() & 1) != 0;
    int type = in.readUnsignedShort();
    long cookie = in.readLong();
    Pending request = find(cookie);
    long length;
    if (extended) {
      if (in.readLong() != request.offset() && type == 0) {
        throw new IOException("the reply's offset is not the request's");
      }
      length = in.readLong();
    } else {
      length = in.readInt();
    }
    ByteBuffer content = ByteBuffer.wrap(in.readNBytes((int) length));
    switch (type) {
      case 0 -> {
        // The chunk only ends the reply.
      }
      case 1 -> {
        int at = (int) (content.getLong() - request.offset());
        if (!content.hasRemaining()) {
          // The specification requires at least one byte; libnbd ends the connection otherwise.
          throw new IOException("the data chunk of cookie " + cookie + " has no data");
        }
        request.chunks().add(content.remaining());
        content.get(request.content().array(), at, content.remaining());
      }
      case 5, 6 -> readExtents(content, type == 6, request);
      case 0x8001, 0x8002 -> request.errors().add(content.getInt());
      default -> throw new IOException("unknown chunk " + type);
    }
    if (last) {
      done(cookie, request);
    }
  }

  private static void readExtents(ByteBuffer content, boolean extended, Pending request)
      throws IOException {
    if (content.getInt() != 1) {
      throw new IOException("the status is of another context");
    }
    int count = extended ? content.getInt() : content.remaining() / 8;
    for (int i = 0; i < count; i++) {
      request
          .extents()
          .add(
              extended
                  ? new Extent(content.getLong(), content.getLong())
                  : new Extent(content.getInt(), content.getInt()));
    }
    if (content.hasRemaining()) {
      throw new IOException("the status is longer than its descriptors");
    }
  }

  private Pending find(long cookie) throws IOException {
    Pending request = pending.get(cookie);
    if (request == null) {
      throw new IOException("nothing with cookie " + cookie + " is in flight");
    }
    return request;
  }

  private void done(long cookie, Pending request) {
    pending.remove(cookie);
    if (request.errors().isEmpty()) {
      request.answer().complete(request.content().array());
    } else {
      String status = String.valueOf(request.errors().get(0));
      request.answer().completeExceptionally(new RequestFailedException(status));
    }
  }
}
