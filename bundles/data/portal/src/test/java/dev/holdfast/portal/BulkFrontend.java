package dev.holdfast.portal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.Reply;
import java.net.URI;
import java.nio.ByteBuffer;

/** A protocol of large messages: four bytes of length, the payload, and one byte as the reply. */
final class BulkFrontend implements FrontendProvider {
  @Override
  public String name() {
    return "bulk";
  }

  @Override
  public int defaultPort() {
    return 9;
  }

  @Override
  public boolean hasTls() {
    return false;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return URI.create("bulk://" + host + ":" + port + "/" + export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new Session(connection);
  }

  private record Session(FrontendConnection connection) implements FrontendSession {
    @Override
    public int received(ByteBuffer input) {
      while (input.remaining() >= Integer.BYTES) {
        int whole = Integer.BYTES + input.getInt(input.position());
        if (input.remaining() < whole) {
          return whole;
        }
        input.position(input.position() + whole);
        connection.established();
        Reply reply = connection.reply(1);
        reply.buffer().put((byte) 1);
        reply.send();
      }
      return Integer.BYTES;
    }

    @Override
    public void stop(Runnable stopped) {
      stopped.run();
    }
  }
}
