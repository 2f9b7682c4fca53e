package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpAdmission;
import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRefusal;
import dev.holdfast.http.HttpRequestHead;
import dev.holdfast.http.StreamHandler;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Runs on the event loop, except for work on the threads of a lane.
 *
 * <pre>
 *   head ── admit ─┬─ deferred ── lane: decision ── admit
 *                  ├─ answered ─────────────────────────────┐
 *                  ├─ whole body ── lane: handler ──────────┤
 *                  └─ body as a stream ── thread: handler ──┴─► answer sent, rest of the body dropped
 * </pre>
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  /**
   * Limit of unread data, larger than the largest body, so that a client rejected by its head
   * receives its answer.
   */
  private static final int UNREAD_LIMIT = 4 << 20;

  private final ExchangeHandler owner;
  private final ExchangeServices services;
  private final Channel channel;
  private final HttpRequest request;
  private final ResponseSender sender;
  private RequestBodySink sink = RequestBodySink.NOTHING;
  private Runnable ended = () -> {};
  private Optional<PiecePump> pump = Optional.empty();
  private Optional<StreamedAnswer> streamed = Optional.empty();
  private long dropped;
  private boolean requestEnded;

  /** Whether the end of the request may never arrive. */
  private boolean endless;

  private boolean answerSent;
  private volatile boolean gone;

  Exchange(ExchangeHandler owner, HttpRequest request, LoopDeadline writing) {
    this.owner = owner;
    this.services = owner.services();
    this.channel = owner.channel();
    this.request = request;
    boolean older = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    ResponseSender.Form form =
        new ResponseSender.Form(
            request.method().name().equals("HEAD"), older, owner.isMultiplexed());
    this.sender =
        new ResponseSender(
            channel,
            form,
            owner.isMultiplexed() || HttpUtil.isKeepAlive(request),
            services.limits().write(),
            writing,
            this::answered);
  }

  /** Decides about the request. */
  void start() {
    owner.awaitBody();
    endless = request.decoderResult().isFailure();
    try {
      HttpRequestHead head = RequestParsing.head(request, owner.peer());
      admit(services.router().admit(head), RequestParsing.bodyLength(request));
    } catch (RequestParsing.RefusedException e) {
      owner.peer().refused(ConnectionRefusal.MALFORMED);
      refuse(e.refusal(), true);
    } catch (RuntimeException e) {
      LOG.error("deciding about a request failed", e);
      refuse(internalError(), true);
    }
  }

  private static HttpRefusal internalError() {
    return new HttpRefusal(500, "internal error of the server: see its log");
  }

  private void admit(HttpAdmission admission, long length) {
    Runnable before = ended;
    ended =
        () -> {
          admission.ended().run();
          before.run();
        };
    if (admission instanceof HttpAdmission.Answered answered) {
      if (HttpUtil.is100ContinueExpected(request)) {
        // The client may or may not send its body.
        endless = true;
        sender.closeAfterwards();
      }
      sender.send(answered.answer());
    } else if (admission instanceof HttpAdmission.Whole whole) {
      collect(whole, length);
    } else if (admission instanceof HttpAdmission.Streamed calling) {
      owner.peer().identified();
      stream(calling.handler());
    } else if (admission instanceof HttpAdmission.Deferred deferred) {
      defer(deferred, length);
    }
  }

  private void defer(HttpAdmission.Deferred deferred, long length) {
    HeldBody held = new HeldBody();
    boolean accepted =
        services.threads().lane(deferred.lane()).submit(() -> decide(deferred, length, held));
    if (!accepted) {
      refuseWaiting();
      return;
    }
    // The server does not limit its own work here, and the decision has its own limits.
    owner.awaitNothing();
    sink = held;
  }

  private void refuseWaiting() {
    refuse(new HttpRefusal(429, "too many requests wait: try again"), false);
  }

  /** Decides on a thread of a lane. */
  private void decide(HttpAdmission.Deferred deferred, long length, HeldBody held) {
    if (gone) {
      return;
    }
    try {
      HttpAdmission decision = deferred.decision().get();
      onLoop(() -> decided(decision, length, held));
    } catch (RuntimeException e) {
      LOG.error("deciding about {} {} failed", request.method(), request.uri(), e);
      onLoop(
          () ->
              decided(
                  new HttpAdmission.Answered(services.router().refuse(internalError())),
                  length,
                  held));
    }
  }

  private void decided(HttpAdmission decision, long length, HeldBody held) {
    if (gone || sender.isBegun()) {
      decision.ended().run();
      return;
    }
    sink = RequestBodySink.NOTHING;
    if (!requestEnded) {
      owner.awaitBody();
    }
    admit(decision, length);
    held.passTo(sink);
    if (wantsMore()) {
      owner.readMore();
    }
  }

  private void collect(HttpAdmission.Whole whole, long length) {
    if (whole.identified()) {
      owner.peer().identified();
    }
    if (length > whole.largestBody()) {
      refuseTooLarge(whole);
      return;
    }
    sendContinue();
    sink =
        new WholeBody(
            whole.largestBody(),
            services.largeBodies(),
            channel.eventLoop(),
            new WholeBody.Outcome() {
              @Override
              public void complete(byte[] body, Runnable release) {
                handle(whole, body, release);
              }

              @Override
              public void tooLarge() {
                refuseTooLarge(whole);
              }

              @Override
              public void waiting(boolean waits) {
                if (waits) {
                  owner.awaitNothing();
                } else if (!gone) {
                  owner.awaitBody();
                  owner.readMore();
                }
              }
            });
  }

  private void sendContinue() {
    if (HttpUtil.is100ContinueExpected(request)) {
      var unused =
          channel.writeAndFlush(
              new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private void refuseTooLarge(HttpAdmission.Whole whole) {
    String whose = whole.identified() ? "" : " for a request without a token";
    refuse(
        new HttpRefusal(
            413, "the body is larger than the limit of " + whole.largestBody() + " bytes" + whose),
        true);
  }

  private void handle(HttpAdmission.Whole whole, byte[] body, Runnable release) {
    boolean accepted =
        services
            .threads()
            .lane(whole.lane())
            .submit(
                () -> {
                  try {
                    if (!gone) {
                      answer(whole.handler().handle(body));
                    }
                  } catch (RuntimeException e) {
                    LOG.error("{} {} failed", request.method(), request.uri(), e);
                    onLoop(() -> refuse(internalError(), false));
                  } finally {
                    release.run();
                  }
                });
    if (!accepted) {
      release.run();
      refuseWaiting();
    }
  }

  private void answer(HttpAnswer answer) {
    if (answer instanceof HttpAnswer.Complete complete) {
      onLoop(
          () -> {
            if (!gone && !sender.isBegun()) {
              sender.send(complete);
            }
          });
    } else if (answer instanceof HttpAnswer.InPieces pieces) {
      onLoop(() -> pieces(pieces));
    }
  }

  private void onLoop(Runnable task) {
    channel.eventLoop().execute(task);
  }

  private void pieces(HttpAnswer.InPieces answer) {
    if (gone || sender.isBegun()) {
      answer.source().close();
      return;
    }
    if (!services.pieces().tryAcquire()) {
      answer.source().close();
      LOG.warn("refused a stream: {} are open", services.limits().pieces());
      refuse(
          new HttpRefusal(
              429,
              services.limits().pieces() + " watches are open already: end some and try again"),
          false);
      return;
    }
    Runnable before = ended;
    ended =
        () -> {
          services.pieces().release();
          before.run();
        };
    sender.begin(answer.code(), answer.headers(), ResponseSender.UNKNOWN);
    PiecePump started =
        new PiecePump(
            answer.source(), sender, channel.eventLoop(), services.threads().pumps(), owner::cut);
    pump = Optional.of(started);
    started.start();
  }

  private void stream(StreamHandler handler) {
    PipedBody body =
        new PipedBody(
            HttpLimits.STREAM_BUFFER,
            services.limits().body(),
            () -> onLoop(owner::readMore),
            () -> onLoop(() -> giveUp(ConnectionRefusal.SLOW_BODY)));
    StreamedAnswer answer = new StreamedAnswer(channel, sender);
    if (!services.threads().streams().submit(() -> run(handler, body, answer))) {
      refuse(new HttpRefusal(429, "too many streams are open: try again after some ended"), false);
      return;
    }
    // The reader has its own limit for the wait for the client.
    owner.awaitNothing();
    sink = body;
    streamed = Optional.of(answer);
    sendContinue();
  }

  /** Runs on a thread that may block. */
  private void run(StreamHandler handler, PipedBody body, StreamedAnswer answer) {
    try {
      if (!gone) {
        handler.handle(body, answer);
      }
    } catch (IOException e) {
      LOG.debug("a streamed request ended: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.method(), request.uri(), e);
    }
    body.abandon();
    if (!answer.isBegun()) {
      onLoop(() -> refuse(internalError(), true));
    } else if (answer.isCutOff()) {
      onLoop(owner::cut);
    } else {
      onLoop(this::dropRest);
    }
  }

  private void dropRest() {
    if (!gone) {
      sink = RequestBodySink.NOTHING;
      if (!requestEnded) {
        owner.awaitBody();
        owner.readMore();
      }
    }
  }

  /** Receives a part of the body. */
  void content(HttpContent content) {
    if (endless) {
      // The rejection of its head is being sent.
      return;
    }
    if (content.decoderResult().isFailure()) {
      owner.peer().refused(ConnectionRefusal.MALFORMED);
      RequestBodySink failed = sink;
      sink = RequestBodySink.NOTHING;
      failed.fail();
      endless = true;
      fail(new HttpRefusal(400, "the body is not one of HTTP/1.1"));
      return;
    }
    if (sink == RequestBodySink.NOTHING) {
      dropped += content.content().readableBytes();
    }
    sink.take(content.content());
    if (content instanceof LastHttpContent) {
      requestEnded = true;
      owner.awaitNothing();
      sink.end();
      proceed();
    } else if (dropped > UNREAD_LIMIT) {
      owner.linger();
    }
  }

  /** Returns whether to read the next part of the body now. */
  boolean wantsMore() {
    return !requestEnded && sink.wantsMore();
  }

  boolean hasRequestEnded() {
    return requestEnded;
  }

  /** Rejects a request that is not HTTP. */
  void fail(HttpRefusal refusal) {
    if (streamed.isPresent()) {
      owner.cut();
    } else {
      refuse(refusal, true);
    }
  }

  /** Rejects the request; cuts off an answer that was already started. */
  void refuse(HttpRefusal refusal, boolean close) {
    if (gone) {
      return;
    }
    if (sender.isBegun()) {
      owner.cut();
      return;
    }
    if (sink instanceof WholeBody) {
      sink.fail();
      sink = RequestBodySink.NOTHING;
    }
    if (close) {
      sender.closeAfterwards();
    }
    sender.send(services.router().refuse(refusal));
    if (wantsMore()) {
      owner.readMore();
    }
  }

  /** Ends the request of a slow client. */
  void giveUp(ConnectionRefusal reason) {
    if (gone) {
      return;
    }
    owner.peer().refused(reason);
    if (sender.isBegun() || streamed.isPresent()) {
      owner.cut();
    } else {
      endless = true;
      refuse(
          new HttpRefusal(408, "the request did not arrive within its time: send it again"), true);
    }
  }

  private void answered() {
    answerSent = true;
    ended();
    proceed();
  }

  private void ended() {
    Runnable once = ended;
    ended = () -> {};
    once.run();
  }

  private void proceed() {
    if (gone || !answerSent) {
      return;
    }
    if (requestEnded) {
      owner.completed(sender.keepsAlive());
    } else if (endless) {
      owner.linger();
    }
  }

  /** Ends the request of a disconnected client. */
  void abort() {
    gone = true;
    sink.fail();
    pump.ifPresent(PiecePump::abort);
    streamed.ifPresent(StreamedAnswer::gone);
    ended();
  }
}
