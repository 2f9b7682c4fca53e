package dev.holdfast.itests;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A plain NBD client: fixed newstyle, simple replies, any number of requests under way. One thread
 * may send while another receives.
 */
final class NbdConnection implements AutoCloseable {
  private static final long OPTION_MAGIC = 0x49484156454F5054L;
  private static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  private static final int REQUEST_MAGIC = 0x25609513;
  private static final int REPLY_MAGIC = 0x67446698;
  private static final int OPTION_GO = 7;
  private static final int REPLY_ACK = 1;
  private static final int REPLY_INFO = 3;
  private static final int READ = 0;
  private static final int WRITE = 1;
  private static final int FLUSH = 3;
  private static final int FUA = 1;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final long size;

  /**
   * An answer to a request.
   *
   * @param handle of the request
   * @param error of NBD, 0 for none
   */
  record Reply(long handle, int error) {}

  NbdConnection(URI uri) throws IOException {
    socket = new Socket(uri.getHost(), uri.getPort());
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 17));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 17));
    size = negotiate(uri.getPath().substring(1).getBytes(StandardCharsets.UTF_8));
  }

  private long negotiate(byte[] export) throws IOException {
    in.readLong();
    in.readLong();
    in.readUnsignedShort();
    out.writeInt(3);
    out.writeLong(OPTION_MAGIC);
    out.writeInt(OPTION_GO);
    out.writeInt(4 + export.length + 2);
    out.writeInt(export.length);
    out.write(export);
    out.writeShort(0);
    out.flush();
    long found = -1;
    while (true) {
      if (in.readLong() != OPTION_REPLY_MAGIC) {
        throw new IOException("not an option reply");
      }
      in.readInt();
      int type = in.readInt();
      byte[] payload = in.readNBytes(in.readInt());
      switch (type) {
        case REPLY_ACK -> {
          return found;
        }
        case REPLY_INFO -> {
          if (payload[0] == 0 && payload[1] == 0) {
            found = java.nio.ByteBuffer.wrap(payload).getLong(2);
          }
        }
        default ->
            throw new IOException(
                "refused with "
                    + Integer.toHexString(type)
                    + ": "
                    + new String(payload, StandardCharsets.UTF_8));
      }
    }
  }

  long size() {
    return size;
  }

  void sendWrite(long handle, long offset, byte[] data, boolean forced) throws IOException {
    send(WRITE, forced ? FUA : 0, handle, offset, data.length);
    out.write(data);
    out.flush();
  }

  void sendFlush(long handle) throws IOException {
    send(FLUSH, 0, handle, 0, 0);
    out.flush();
  }

  /** Returns the next answer to a write or a flush. */
  Reply receive() throws IOException {
    if (in.readInt() != REPLY_MAGIC) {
      throw new IOException("not a reply");
    }
    int error = in.readInt();
    return new Reply(in.readLong(), error);
  }

  /** Reads with nothing else under way. */
  byte[] read(long offset, int length) throws IOException {
    send(READ, 0, 1, offset, length);
    out.flush();
    int error = receive().error();
    if (error != 0) {
      throw new IOException("read at " + offset + ": error " + error);
    }
    byte[] data = new byte[length];
    in.readFully(data);
    return data;
  }

  /** Writes with nothing else under way; returns the error, 0 for none. */
  int write(long offset, byte[] data) throws IOException {
    sendWrite(1, offset, data, false);
    return receive().error();
  }

  private void send(int type, int flags, long handle, long offset, int length) throws IOException {
    out.writeInt(REQUEST_MAGIC);
    out.writeShort(flags);
    out.writeShort(type);
    out.writeLong(handle);
    out.writeLong(offset);
    out.writeInt(length);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
