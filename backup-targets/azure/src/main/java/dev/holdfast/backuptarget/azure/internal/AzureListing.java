package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * One listing, page by page. A server whose pages do not ascend, or do not advance, is refused:
 * readers trust the order. The protocol has no key to begin behind, so keys before it are skipped.
 */
final class AzureListing {
  private static final int PAGE = 1000;
  private static final int LARGEST_PAGE = 8 << 20;
  private static final String NO_DOCTYPE = "http://apache.org/xml/features/disallow-doctype-decl";

  private final AzureAddress address;
  private final AzureRequests requests;
  private final AzureAnswers answers;
  private final String prefix;
  private String last = "";

  AzureListing(AzureAddress address, AzureRequests requests, AzureAnswers answers, String prefix) {
    this.address = address;
    this.requests = requests;
    this.answers = answers;
    this.prefix = prefix;
  }

  void run(String after, ObjectVisitor visitor) throws StorageException {
    String marker = "";
    do {
      Element page = page(marker);
      NodeList blobs = page.getElementsByTagName("Blob");
      for (int i = 0; i < blobs.getLength(); i++) {
        if (blobs.item(i) instanceof Element blob) {
          visit(blob, after, visitor);
        }
      }
      String next = text(page, "NextMarker");
      if (!next.isEmpty() && next.equals(marker)) {
        throw wrong("does not say where its next page begins");
      }
      marker = next;
    } while (!marker.isEmpty());
  }

  private Element page(String marker) throws StorageException {
    Map<String, String> parameters =
        new TreeMap<>(
            Map.of(
                "restype",
                "container",
                "comp",
                "list",
                "maxresults",
                Integer.toString(PAGE),
                "prefix",
                address.name(prefix)));
    if (!marker.isEmpty()) {
      parameters.put("marker", marker);
    }
    HttpResponse<byte[]> answer =
        requests.send(
            subject(),
            new AzureRequests.Request("GET", "", parameters, Map.of(), List.of(), true),
            LARGEST_PAGE);
    if (answer.statusCode() != 200) {
      StorageException failure = answers.failure(subject(), answer);
      throw failure.code() == ErrorCode.NOT_FOUND ? wrong("is 404") : failure;
    }
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
      factory.setFeature(NO_DOCTYPE, true);
      factory.setExpandEntityReferences(false);
      return factory
          .newDocumentBuilder()
          .parse(new ByteArrayInputStream(answer.body()))
          .getDocumentElement();
    } catch (SAXException | IOException e) {
      throw wrong("is not XML");
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("the JVM's parser refuses its own feature", e);
    }
  }

  private void visit(Element blob, String after, ObjectVisitor visitor) throws StorageException {
    String name = text(blob, "Name");
    if (!name.startsWith(address.name(prefix)) || compare(name, last) <= 0) {
      throw wrong("is not in ascending order");
    }
    last = name;
    String key = name.substring(address.root().length());
    if (ObjectKeys.isValid(key) && (after.isEmpty() || compare(key, after) > 0)) {
      visitor.object(described(key, blob));
    }
  }

  private StoredObject described(String key, Element blob) throws StorageException {
    try {
      String tag = text(blob, "Etag");
      return new StoredObject(
          key,
          Long.parseUnsignedLong(text(blob, "Content-Length")),
          tag.startsWith("\"") ? tag : '"' + tag + '"',
          ZonedDateTime.parse(text(blob, "Last-Modified"), DateTimeFormatter.RFC_1123_DATE_TIME)
              .toInstant());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw wrong("has an incomplete entry");
    }
  }

  private static String text(Element parent, String name) {
    NodeList found = parent.getElementsByTagName(name);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent();
  }

  private String subject() {
    return "list of \"" + prefix + "\"";
  }

  private StorageException wrong(String problem) {
    return requests.failure(ErrorCode.IO, subject(), "the answer of the server " + problem);
  }

  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
