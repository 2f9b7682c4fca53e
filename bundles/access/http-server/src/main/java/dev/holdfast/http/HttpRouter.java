package dev.holdfast.http;

/** Routes the requests of a server. Thread-safe. */
public interface HttpRouter {
  /**
   * Decides by the head of a request. Runs on an event loop and must not block.
   *
   * @param head not null
   * @return never null
   */
  HttpAdmission admit(HttpRequestHead head);

  /**
   * Returns the answer to a request that the server rejects. Runs on an event loop and must not
   * block.
   *
   * @param refusal not null
   * @return never null
   */
  HttpAnswer.Complete refuse(HttpRefusal refusal);
}
