package dev.holdfast.portal;

import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.Reply;
import java.net.URI;
import java.nio.ByteBuffer;

/**
 * The smallest protocol: a message is a length byte and its payload, and is returned unchanged. The
 * first message names the export; a message {@code id=NAME} before it proves an identity. A message
 * {@code !} makes the session fail; {@code >} makes it reply with 1 MiB.
 */
final class EchoFrontend implements FrontendProvider {
  private final boolean tls;
  private boolean localSocket;

  EchoFrontend() {
    this(true);
  }

  EchoFrontend(boolean hasTls) {
    this.tls = hasTls;
  }

  EchoFrontend withLocalSocket() {
    localSocket = true;
    return this;
  }

  @Override
  public boolean hasLocalSocket() {
    return localSocket;
  }

  @Override
  public boolean hasTls() {
    return tls;
  }

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public int defaultPort() {
    return 7;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return URI.create("echo://" + host + ":" + port + "/" + export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new Session(connection);
  }

  private static final class Session implements FrontendSession {
    private static final int FLOOD = 1 << 20;

    private final FrontendConnection connection;
    private boolean attached;

    Session(FrontendConnection connection) {
      this.connection = connection;
    }

    @Override
    public int received(ByteBuffer input) {
      while (input.hasRemaining()) {
        int length = input.get(input.position()) & 0xff;
        if (input.remaining() < length + 1) {
          return length + 1;
        }
        byte[] message = new byte[length];
        input.position(input.position() + 1);
        input.get(message);
        answer(new String(message, java.nio.charset.StandardCharsets.US_ASCII));
      }
      return 0;
    }

    private void answer(String message) {
      if (!attached && message.startsWith("id=")) {
        connection
            .export()
            .identify(new ClientIdentity(ClientIdentity.Type.INITIATOR, message.substring(3)));
        return;
      }
      if (!attached) {
        attached = connection.export().attach(message).isPresent();
        if (!attached) {
          connection.close();
          return;
        }
      }
      if (message.equals("!")) {
        throw new IllegalStateException("the test wants the session to fail");
      }
      boolean flood = message.equals(">");
      Reply reply = connection.reply(flood ? FLOOD : message.length());
      reply.buffer().put(message.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      if (flood) {
        reply.buffer().position(FLOOD);
      }
      reply.send();
    }

    @Override
    public void stop(Runnable stopped) {
      stopped.run();
    }
  }
}
