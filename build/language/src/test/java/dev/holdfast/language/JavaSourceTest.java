package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JavaSourceTest {
  private static List<String> check(String java) {
    return JavaSource.read(java).stream()
        .flatMap(passage -> LanguageCheck.check("A.java", passage).stream())
        .map(finding -> finding.line() + " " + finding.word())
        .toList();
  }

  @Test
  void wordIsFoundInEachKindOfComment() {
    assertThat(
            check(
                """
                /** Nobody calls it. */
                class A {
                  /* It goes on. */
                  int a; // kept for good
                }
                """))
        .containsExactly("1 Nobody", "3 goes on", "4 for good");
  }

  @Test
  void phraseIsFoundAcrossLinesOfLineComments() {
    assertThat(
            check(
                """
                class A {
                  // The request of this client goes
                  // on after the reply.
                }
                """))
        .containsExactly("2 goes on");
  }

  @Test
  void phraseIsFoundAcrossLinesOfADocumentationComment() {
    assertThat(check("/**\n * The request goes\n * on.\n */\nclass A {}\n"))
        .containsExactly("2 goes on");
  }

  @Test
  void phraseIsFoundAcrossPartsOfAConcatenatedMessage() {
    assertThat(
            check(
                """
                class A {
                  String a = name + ": the rebuild goes"
                      + " on at " + offset + ", for " + "good";
                }
                """))
        .containsExactly("2 goes on", "3 for good");
  }

  @Test
  void messageAsArgumentOfACallInASumIsReadOnItsOwn() {
    assertThat(check("class A { String a = \"x \" + text(\"is no number\") + \" y\"; }"))
        .containsExactly("1 is no number");
  }

  @Test
  void wordIsFoundInATextBlock() {
    assertThat(
            check("class A {\n  String a = \"\"\"\n      one\n      whoever\n      \"\"\";\n}\n"))
        .containsExactly("4 whoever");
  }

  @Test
  void nameOfATestIsReadAsWords() {
    assertThat(
            check(
                """
                class A {
                  @Test
                  void endBeforeARequestIsNoRequest() {}

                  void isNoTest() {}
                }
                """))
        .containsExactly("3 is no request");
  }

  @Test
  void codeInACommentIsNotRead() {
    assertThat(
            check(
                "/** Runs {@code nobody} as {@link Nobody} and {@link A#of(B) the user}. */ class A {}"))
        .isEmpty();
  }

  @Test
  void drawingAndPreformattedTextAreNotRead() {
    assertThat(
            check(
                """
                /**
                 * A stack:
                 *
                 * <pre>
                 *   nobody
                 * </pre>
                 *
                 * client --> nobody
                 */
                class A {}
                """))
        .isEmpty();
  }

  @Test
  void documentationCommentBeginsWithoutAClause() {
    assertThat(check("/** What a node keeps. */\nclass A {}\n")).containsExactly("1 What");
    assertThat(check("class A {} // What a node keeps.\n")).isEmpty();
  }

  @Test
  void parameterBeginsASentence() {
    String words = "word ".repeat(30);
    assertThat(check("/**\n * Does it " + words + "\n * @param a " + words + "\n */\nclass A {}\n"))
        .isEmpty();
  }

  @Test
  void textThatIsNotJavaIsRejected() {
    assertThatThrownBy(() -> JavaSource.read("class {"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a Java 17 compilation unit");
  }
}
