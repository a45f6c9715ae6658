// The prover and the model, compiled to WebAssembly, in a worker: one program run per question. A question that is no longer of
// interest is dropped before it starts.
"use strict";

const engine = (() => {
  const code = `
    let compiled;
    onmessage = async ({data}) => {
      if (data.wasm) {
        const bytes = Uint8Array.from(atob(data.wasm), c => c.charCodeAt(0));
        compiled = WebAssembly.compile(bytes);
        return;
      }
      const lines = [], errors = [];
      let status = -1;
      try {
        const module = await compiled;
        const program = await collscopeProve({
          print: line => lines.push(line),
          printErr: line => errors.push(line),
          instantiateWasm(imports, done) {
            WebAssembly.instantiate(module, imports).then(made => done(made, module));
            return {};
          },
        });
        for (const [name, text] of Object.entries(data.files)) program.FS.writeFile(name, text);
        status = program.callMain(data.words);
      } catch (error) {
        errors.push(error instanceof WebAssembly.RuntimeError
          ? "the algorithm needs more memory than a page has; take a smaller call" : String(error));
      }
      postMessage({id: data.id, status, lines, errors});
    };`;
  let worker = null, id = 0, busy = false;
  const waiting = [], asked = new Map();

  function start() {
    const source = new Blob([COLLSCOPE_ENGINE.glue, "\n", code], {type: "text/javascript"});
    worker = new Worker(URL.createObjectURL(source));
    worker.onmessage = ({data}) => {
      const {resolve, reject} = asked.get(data.id);
      asked.delete(data.id);
      busy = false;
      if (data.status < 0 || data.status > 1) reject(new Error(data.errors.join("\n") || "the engine failed"));
      else resolve(data.lines.map(line => JSON.parse(line)));
      next();
    };
    worker.postMessage({wasm: COLLSCOPE_ENGINE.wasm});
  }

  function next() {
    if (busy) return;
    const question = waiting.shift();
    if (!question) return;
    busy = true;
    asked.set(++id, question);
    worker.postMessage({id, words: question.words, files: question.files});
  }

  // What the program prints, a value per line. topic: an earlier question of the same topic that has not begun is dropped (it rejects with
  // `null`). Rejects with what the program says of a question that makes no sense.
  function ask(topic, words, files) {
    if (!worker) start();
    return new Promise((resolve, reject) => {
      for (let i = waiting.length - 1; i >= 0; i--)
        if (waiting[i].topic === topic) waiting.splice(i, 1)[0].reject(null);
      waiting.push({topic, words, files, resolve, reject});
      next();
    });
  }

  // Points on a machine: [{kind, status, model_s, …}, …] in the order of the points; option: "--trace", "--holdings", "--explain" or "".
  // others: machine files on which they are timed, too (others_s).
  async function model(topic, machine, points, option, others = []) {
    const files = {"/machine": machine, "/plan": points.map((point, i) => `id=${i} ${point}\n`).join("")};
    const words = ["--model", "/machine", ...(option ? [option] : []), "--plan", "/plan"];
    others.forEach((text, i) => { files[`/other${i}`] = text; });
    if (others.length) {
      files["/others"] = others.map((_, i) => `/other${i}\n`).join("");
      words.push("--others", "/others");
    }
    const found = await ask(topic, words, files);
    return points.map((_, i) => found.find(answer => answer.id === String(i)));
  }

  async function proof(topic, point) {
    const [answer] = await ask(topic, ["--plan", "/plan"], {"/plan": `id=0 ${point}\n`});
    return answer;
  }

  return {model, proof};
})();
