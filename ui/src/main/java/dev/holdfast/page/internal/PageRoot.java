package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.RootExtension;
import dev.holdfast.access.RootRequest;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Serves {@code /page/}: the files for every caller, the sign-in, and for signed-in browsers what
 * this node shows. Thread-safe.
 */
final class PageRoot implements RootExtension {
  private static final String ROOT = "page";

  /** Callers without a credential hold at most this many of the server's streams. */
  private static final int MOST_AT_A_TIME = 256;

  private final PageFiles files;
  private final SignIn signIn;
  private final ProviderSignIn providerSignIn;
  private final Contributions contributions;
  private final ContributionFiles contributed;
  private final Semaphore running = new Semaphore(MOST_AT_A_TIME);

  PageRoot(
      PageFiles files, SignIn signIn, ProviderSignIn providerSignIn, Contributions contributions) {
    this.files = files;
    this.signIn = signIn;
    this.providerSignIn = providerSignIn;
    this.contributions = contributions;
    this.contributed = new ContributionFiles(contributions);
  }

  @Override
  public String root() {
    return ROOT;
  }

  @Override
  public void handle(RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    if (!running.tryAcquire()) {
      PageResponses.refusal(
          response, 503, "ServiceUnavailable", "too many browsers load the page: try again");
      return;
    }
    try {
      answer(request, response);
    } finally {
      running.release();
    }
  }

  private void answer(RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    List<String> path = request.path().subList(1, request.path().size());
    if (path.equals(List.of("v1", "codes"))) {
      signIn.code(request, response);
    } else if (path.equals(List.of("v1", "session"))) {
      signIn.session(request, response);
    } else if (path.size() >= 2 && path.subList(0, 2).equals(List.of("v1", "oidc"))) {
      providerSignIn.answer(path.subList(2, path.size()), request, response);
    } else if (!request.method().equals("GET")) {
      PageResponses.refusal(
          response, 405, "MethodNotAllowed", "the page does not allow " + request.method());
    } else if (path.equals(List.of("v1", "state"))) {
      state(request, response);
    } else if (!path.isEmpty() && path.get(0).equals("plugins")) {
      contributed.answer(path.subList(1, path.size()), response);
    } else if (path.isEmpty() && !request.directory()) {
      // Addresses in the page are relative to this folder.
      PageResponses.redirect(response, ROOT + "/");
    } else {
      file(path.isEmpty() ? PageFiles.INDEX : String.join("/", path), request, response);
    }
  }

  /** Tells an open page whether it is out of date, and which contributions it shows. */
  private void state(RootRequest request, ExtensionResponse response) throws IOException {
    if (!signIn.isSignedIn(request)) {
      PageResponses.refusal(response, 401, "Unauthorized", "not signed in");
      return;
    }
    ObjectNode state = JsonNodeFactory.instance.objectNode();
    state.put("page", files.version());
    state.set("contributions", contributions.description());
    PageResponses.json(response, 200, state, Map.of());
  }

  private void file(String path, RootRequest request, ExtensionResponse response)
      throws IOException {
    Optional<PageFile> file = files.file(path);
    if (file.isPresent()) {
      String inlineScript = path.equals(PageFiles.INDEX) ? files.importMapHash() : "";
      PageResponses.file(file.get(), inlineScript, request, response);
    } else {
      PageResponses.refusal(response, 404, "NotFound", "the page does not have this file");
    }
  }
}
